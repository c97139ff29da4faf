// Takes the place of the SDK's Node shims in the bundled command line.
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'

/** Cross-origin rules are a matter of browsers. */
export const CORS_IS_POSSIBLE = false
