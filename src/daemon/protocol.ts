/** The version of the language on the socket; both ends must speak the same. */
export const protocolVersion = 1

/** The methods of a Hub that can be asked for over the socket. */
export const hubMethods = ['servers', 'catalogue', 'call', 'prompt', 'complete', 'read', 'control', 'logs'] as const
