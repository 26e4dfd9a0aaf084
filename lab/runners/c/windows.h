/* What the two runners of Windows share: which Windows this is, and whether it is one. */
#ifndef RUNNER_WINDOWS_H
#define RUNNER_WINDOWS_H

#include "runner.h"

#include <windows.h>
#include <stdio.h>

/* Wine is a reimplementation, and says so to who asks. */
static void windows_describe(struct runner_library *library)
{
    static char version[64];
    HMODULE ntdll = GetModuleHandleA("ntdll");
    const char *(*wine_version)(void) = (const char *(*)(void))(void *)GetProcAddress(ntdll, "wine_get_version");
    LONG(WINAPI * get_version)(OSVERSIONINFOW *) = (LONG(WINAPI *)(OSVERSIONINFOW *))(void *)GetProcAddress(ntdll, "RtlGetVersion");
    OSVERSIONINFOW windows = {.dwOSVersionInfoSize = sizeof windows};
    if (get_version)
        get_version(&windows);
    if (wine_version)
        snprintf(version, sizeof version, "Wine %s reimplementation, not Windows", wine_version());
    else
        snprintf(version, sizeof version, "Windows %lu.%lu.%lu", windows.dwMajorVersion, windows.dwMinorVersion, windows.dwBuildNumber);
    library->version = version;
    library->stand_in = wine_version != NULL;
}

#endif
