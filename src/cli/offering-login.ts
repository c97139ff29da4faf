import { CapstanError } from '../errors.ts'
import type { CommandContext } from './command.ts'

/** Runs what may need a login. Where it does and a person is there, offers it and runs it again: what was refused has not run. */
export async function offeringLogin<Value>(context: CommandContext, run: () => Promise<Value>): Promise<Value> {
  try {
    return await run()
  } catch (error) {
    if (!context.flags.mayAsk || !wantsLogin(error)) throw error
    const [{ offerLogin }, hub] = await Promise.all([import('./log-in.ts'), context.openHub()])
    if (!(await offerLogin(hub, error, context))) throw error
    return run()
  }
}

function wantsLogin(error: unknown): error is CapstanError & { readonly server: string } {
  return error instanceof CapstanError && error.code === 'login_needed' && error.server !== undefined
}
