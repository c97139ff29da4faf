// Takes the place of the model SDK's gateway in the bundled command line: a service of its vendor that we never ask, and CommonJS.
const none = { isInstance: () => false }

export { none as GatewayAuthenticationError, none as GatewayError }

/** Where a model is named by a text alone; we always hand over the model itself. */
export const gateway = undefined
export const createGateway = undefined
