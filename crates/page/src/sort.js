for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const cell = row.cells[column], text = cell.textContent.trim();
    const number = cell.dataset.value ?? text.replace(/[\s,_]/g, '').replace(/^\u2212/, '-');
    return { text, number: cell.classList.contains('number') ? parseFloat(number) : NaN };
  };
  const compare = (a, b) => {
    const known = [isNaN(a.number), isNaN(b.number)];
    if (!known[0] && !known[1]) return a.number - b.number;
    if (known[0] !== known[1]) return null;
    return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
  };
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute('aria-sort', 'none');
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      const rows = [...body.rows].map(row => [value(row, column), row]);
      rows.sort(([a], [b]) => {
        const order = compare(a, b);
        return order === null ? isNaN(a.number) - isNaN(b.number) : down ? -order : order;
      });
      heads.forEach(other => other.setAttribute('aria-sort', 'none'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      body.append(...rows.map(([, row]) => row));
    });
  });
}
