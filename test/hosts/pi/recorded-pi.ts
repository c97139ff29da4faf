import type { Level, Pi, PiCommand, PiContext, PiTool } from '../../../src/hosts/pi/pi-api.ts'

type Gateway = Parameters<NonNullable<Pi['registerMcpServer']>>[1]

/** A pi without a screen: keeps what an extension registers and says. Dialogs are answered as the test wants. */
export interface RecordedPi {
  readonly pi: Pi
  readonly context: PiContext
  readonly tools: ReadonlyMap<string, PiTool>
  readonly commands: ReadonlyMap<string, PiCommand>
  readonly gateways: ReadonlyMap<string, Gateway>
  readonly notices: readonly { readonly message: string; readonly level: Level | undefined }[]
  /** The text of a tool's result; rejects as the tool does. */
  readonly call: (tool: string, params: Parameters<PiTool['execute']>[1]) => Promise<string>
}

export interface RecordedOptions {
  readonly cwd: string
  readonly mode?: PiContext['mode']
  readonly select?: (title: string, options: readonly string[]) => string | undefined
  /** Whether this pi speaks MCP itself. */
  readonly speaksMcp?: boolean
}

export function recordedPi({ cwd, mode = 'rpc', select, speaksMcp = false }: RecordedOptions): RecordedPi {
  const tools = new Map<string, PiTool>()
  const commands = new Map<string, PiCommand>()
  const gateways = new Map<string, Gateway>()
  const notices: { message: string; level: Level | undefined }[] = []
  const context: PiContext = {
    cwd,
    mode,
    hasUI: mode === 'tui' || mode === 'rpc',
    model: undefined,
    ui: {
      select: async (title, options) => select?.(title, options),
      input: async () => undefined,
      confirm: async () => false,
      notify: (message, level) => void notices.push({ message, level }),
      setStatus: () => {},
      addAutocompleteProvider: () => {},
    },
  }
  const pi: Pi = {
    on: () => {},
    registerTool: (tool) => void tools.set(tool.name, tool),
    registerCommand: (name, command) => void commands.set(name, command),
    registerFlag: () => {},
    getFlag: () => undefined,
    sendUserMessage: () => {},
    ...(speaksMcp ? { registerMcpServer: (name: string, config: Gateway) => void gateways.set(name, config) } : {}),
  }
  return {
    pi,
    context,
    tools,
    commands,
    gateways,
    notices,
    async call(name, params) {
      const result = await tools.get(name)?.execute('1', params, undefined, undefined, context)
      return (result?.content ?? []).map((part) => (part.type === 'text' ? part.text : part.mimeType)).join('\n')
    },
  }
}
