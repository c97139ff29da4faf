const inherited =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PROCESSOR_ARCHITECTURE',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
        'PROGRAMFILES',
      ]
    : ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']

/** The few variables every server gets, from the person who asked. Anything else must stand in the entry's `env`. */
export function defaultEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = inherited.flatMap((name) => {
    const value = env[name]
    // A value that starts with "()" is an exported shell function, which some shells would run.
    return value === undefined || value.startsWith('()') ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}
