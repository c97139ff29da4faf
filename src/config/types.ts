import type { JsonObject } from '../json.ts'
import type { CapstanError } from '../errors.ts'

/** An entry of `mcpServers` exactly as the file has it: before `${…}`, with the fields of other clients. */
export type RawEntry = JsonObject

/** Which layer an entry came from. A file named with `--config` was named by the person, so it counts as the user's. */
export type Layer = 'user' | 'project' | 'command-line'

export interface Origin {
  readonly layer: Layer
  /** Absolute path; absent for `--stdio` and `--url`. */
  readonly file?: string
}

interface CommonFields {
  readonly description?: string
  readonly disabled: boolean
  /** Idle limit of a call in seconds; progress extends it. */
  readonly timeout: number
  /** Hard limit of a call in seconds, progress or not. */
  readonly maxTimeout: number
  /** Limit for starting and connecting, in seconds. */
  readonly startTimeout: number
  /** When it runs behind the daemon: started when first needed, with the daemon, or for one call at a time. */
  readonly lifecycle: 'lazy' | 'eager' | 'per-call'
  /** Seconds without use after which a lazy server is stopped. */
  readonly idle: number
  /** Who shares one running copy behind the daemon: everybody, or each client has its own. */
  readonly share: 'all' | 'client'
  /** Whether a call that may have been received is sent again: `safe` means when its tool says that this does no harm. */
  readonly retry: 'safe' | 'never'
  /** How many calls run at once; more wait. */
  readonly concurrency?: number
  /** The server that is asked for the same tool when this one cannot be reached. */
  readonly fallback?: string
  /** Whether the server may ask for answers of a model. */
  readonly sampling: boolean
  /** Whether the server may know the workspace folder. */
  readonly roots: boolean
  readonly alwaysAllow: readonly string[]
  /** Whether its tools are believed when they call themselves read-only. */
  readonly trustHints: boolean
  readonly deny: readonly string[]
  readonly tools: { readonly include: readonly string[]; readonly exclude: readonly string[] }
}

export interface StdioServer extends CommonFields {
  readonly transport: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** How many copies run side by side. */
  readonly replicas: number
}

export interface RemoteServer extends CommonFields {
  readonly transport: 'remote'
  readonly url: string
  /** Where further copies of it are. */
  readonly otherUrls: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** Found out at the first connection when absent. */
  readonly type?: 'http' | 'sse'
  /** How to log in, where the server wants it; false to never try. */
  readonly oauth?: OauthSettings | false
}

/** How Capstan logs in to one remote server. Its texts may hold `${…}` until `resolveServer` has filled them in. */
export interface OauthSettings {
  /** `code` asks a person once; `client_credentials` needs nobody. */
  readonly grant: 'code' | 'client_credentials'
  readonly clientId?: string
  readonly clientSecret?: string
  /** The address of a client metadata document, which then is our client id. */
  readonly clientMetadataUrl?: string
  readonly scopes?: readonly string[]
  /** The only authorization server that may be used. */
  readonly issuer?: string
  /** A PKCS#8 key in PEM form, with which the client proves who it is. */
  readonly privateKey?: string
  readonly privateKeyAlgorithm?: string
  /** The port of the callback, where the authorization server knows only that one. */
  readonly callbackPort?: number
}

/** A checked entry. Its strings may still hold `${…}` until `resolveServer` has filled them in. */
export type ServerConfig = StdioServer | RemoteServer

/** Whether an entry may be used, and if not, why. */
export type Standing =
  | { readonly kind: 'usable'; readonly server: ServerConfig }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'invalid'; readonly error: CapstanError }
  /** `refused` means that a person said no to exactly this entry: doors say so, but do not ask again. */
  | { readonly kind: 'untrusted'; readonly change: 'new' | 'changed' | 'refused' }
  /** The server whose tools are the person's own files; `trustProject` as the config was loaded, for looking at them again. */
  | { readonly kind: 'own'; readonly tools: readonly OwnTool[]; readonly trustProject: boolean }

/** A file of the person's or the project's that is a tool. Nothing of it has run. */
export interface OwnTool {
  readonly name: string
  /** Absolute path. */
  readonly file: string
  readonly layer: 'user' | 'project'
  readonly language: 'js' | 'ts'
  readonly code: string
  readonly standing:
    | { readonly kind: 'usable' }
    | Extract<Standing, { readonly kind: 'invalid' }>
    | Extract<Standing, { readonly kind: 'untrusted' }>
}

export interface ConfiguredServer {
  readonly name: string
  readonly entry: RawEntry
  readonly origin: Origin
  readonly standing: Standing
  /** Entries of the same name that this one replaces, the strongest first. */
  readonly shadows?: readonly ShadowedEntry[]
}

export interface ShadowedEntry {
  readonly entry: RawEntry
  readonly origin: Origin
}

/** Our own settings, from `config.toml`. Grows with the features that read it. */
export interface Settings {
  /** Seconds after which a catalogue comes back with what is there. */
  readonly catalogueSeconds: number
  /** What the files say about the prompt library; absent where they say nothing. */
  readonly prompts?: PromptSettings
  /** What the files say about the model of the session; absent where they say nothing. */
  readonly model?: ModelSettings
  /** What the user's file says about the gateway; absent where it says nothing. */
  readonly gateway?: GatewaySettings
}

/** What a profile or a key lets through, and how it is offered. What is absent takes nothing away. */
export interface GatewayProfile {
  readonly servers?: readonly string[]
  readonly tools?: readonly string[]
  readonly deny?: readonly string[]
  readonly ask?: readonly string[]
  readonly mode?: 'auto' | 'all' | 'meta' | 'code'
}

/** One table of `[gateway.keys]`: who comes with this token. */
export interface GatewayKey extends GatewayProfile {
  readonly profile?: string
  readonly tokenFile?: string
  readonly tokenSha256?: string
}

/** The table `[gateway]`, which only the user may write. */
export interface GatewaySettings extends GatewayProfile {
  /** What is done about a tool that is not what it was when it was first used. */
  readonly pins?: 'warn' | 'hold' | 'off'
  readonly prefix?: boolean
  readonly hosts?: readonly string[]
  readonly origins?: readonly string[]
  readonly auditArguments?: boolean
  readonly requestsPerMinute?: number
  readonly bodyBytes?: number
  readonly profiles?: Readonly<Record<string, GatewayProfile>>
  readonly keys?: Readonly<Record<string, GatewayKey>>
}

/** The table `[model]`, which only the user may write. */
export interface ModelSettings {
  /** `anthropic/NAME`, `openai/NAME`, `google/NAME`, or the bare name of a model at `url`. */
  readonly name?: string
  readonly url?: string
  /** A command that prints the key. */
  readonly keyCommand?: string
  /** How many tokens the model can take. */
  readonly contextTokens?: number
  /** `xml` for models that know no tools. */
  readonly tools?: 'native' | 'xml'
  /** The part of the context, in percent, up to which every tool is declared to the model. */
  readonly inlinePercent?: number
}

/** The table `[prompts]`. What is absent has the library's own default. */
export interface PromptSettings {
  /** The folder of the user's prompts: absolute, beginning with `~`, or relative to the home folder. */
  readonly dir?: string
  /** Folders of teams, the weakest first. */
  readonly extra?: readonly string[]
  readonly includeBuiltin?: boolean
  /** Tags of which a prompt must have one to be listed. */
  readonly categories?: readonly string[]
  readonly maxPerPage?: number
  readonly maxPromptBytes?: number
  readonly maxPrompts?: number
}

/** Everything `${…}` may refer to. It belongs to the caller, never to whoever happens to run the hub. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeFolder: string
  /** The project's root: where `.mcp.json` or `.git` stands, else the current folder. */
  readonly workspaceFolder: string
  /** Where the caller stands: servers of the user's own file run here unless they name a `cwd`. */
  readonly currentFolder: string
}

/** One item of a file's `inputs` list (VS Code's): what to ask for when an entry holds `${input:id}`. */
export interface InputDeclaration {
  readonly id: string
  /** The file whose entries may use it. */
  readonly file: string
  readonly description?: string
  readonly isSecret: boolean
  readonly default?: string
  readonly options?: readonly string[]
}

export interface Config {
  /** In the order of their names. */
  readonly servers: readonly ConfiguredServer[]
  readonly settings: Settings
  readonly surroundings: Surroundings
  /** What the files say about their `${input:id}`. */
  readonly inputs?: readonly InputDeclaration[]
  /** The files that were read, weakest layer first: what `config` shows and what long-running commands watch. */
  readonly files: readonly { readonly path: string; readonly layer: Layer }[]
  /** Things a person should know that stop nothing: misspelt fields, settings a project may not set. */
  readonly warnings: readonly string[]
}
