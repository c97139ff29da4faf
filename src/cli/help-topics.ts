/** Topics of `capstan help`. */
export const helpTopics: Readonly<Record<string, string>> = {
  'exit-codes': `Exit codes
  0    ok (also "list" when some servers are down: they are named on stderr)
  1    the tool reported an error, or doctor found something
  2    usage, config, an unknown name, a missing argument
  3    a server is not available
  4    timed out, or over a limit
  5    not allowed, or not trusted
  70   a bug of Capstan
  130  interrupted

With --json a failure is one value on stdout: {"error": {"code", "message", "server", "next"}}`,
  config: `Config files
  servers    user: $XDG_CONFIG_HOME/capstan/mcp.json (~/.config/capstan/mcp.json)
             project: .mcp.json, looked for from the current folder up to the root of the repository
  settings   user: config.toml beside it; project: .capstan/config.toml

A project's entry replaces the user's whole entry of the same name. --config FILE (or CAPSTAN_CONFIG) replaces both.
Run "capstan config" to see what is in force and where each entry came from.`,
  names: `Names
  server.tool        what you read and type; also mcp.server.tool, server/tool, and a bare tool name when it is unique
  server:prompt      a prompt
  server__tool       what models see: at most 64 letters, digits, _ and -

Names are looked up, never split, so a tool may have dots in its name.`,
  policy: `Who may run what (fields of a server's entry)
  tools: {include, exclude}   what exists at all (globs)
  alwaysAllow                 runs unasked where a model chooses
  deny                        never runs, through any door; deny beats allow

A tool that you call yourself on the command line is never asked about; deny applies all the same.
Servers of a project's file are not started before you have approved them: capstan review`,
}
