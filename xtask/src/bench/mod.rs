pub(crate) mod runner {
    pub(crate) const TASK: &str = "x";
    pub(crate) fn main(_: &[String]) -> anyhow::Result<bool> {
        Ok(true)
    }
}
pub(crate) fn main(_: &crate::workspace::Workspace, _: &[String]) -> anyhow::Result<bool> {
    Ok(true)
}
