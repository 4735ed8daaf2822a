import { RegistrationError } from '../../model/registration-error.ts'
import { StoreOverloaded, StoreUnavailable } from '../../store/store-failures.ts'

/** The error of a request, with the name of the store: the operator has to know which it is. */
export function withStoreName(name: string, error: unknown): unknown {
  if (error instanceof StoreUnavailable) {
    const { retryAfterSeconds } = error
    return new StoreUnavailable(named(name, error), { retryAfterSeconds, cause: error })
  }
  return error instanceof StoreOverloaded
    ? new StoreOverloaded(named(name, error), { cause: error })
    : error
}

/**
 * The same of a start, a command or work beside requests, which no caller tells the store of.
 * Errors of classes of the service stay what they are.
 */
export function withStoreOfWork(name: string, error: unknown): unknown {
  if (error instanceof RegistrationError)
    return new RegistrationError(named(name, error), { cause: error })
  return error instanceof Error && error.constructor === Error
    ? new Error(named(name, error), { cause: error })
    : withStoreName(name, error)
}

function named(name: string, { message }: Error): string {
  const prefix = `The store '${name}': `
  return message.startsWith(prefix) ? message : prefix + message
}
