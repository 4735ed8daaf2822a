import { inspect } from 'node:util'
import { isPromise } from '../../concurrency/is-promise.ts'
import { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { joinWords } from '../../text/message-text.ts'

export const storeChoiceErrors = ['unauthorized', 'forbidden'] as const

const { createApiError } = refusalsOf(storeChoiceErrors)

export interface StoreChoiceOptions<Caller> {
  /** The option `store` of the router. */
  readonly choose: (caller: Caller | undefined) => unknown
  /** Could an anonymous client sign in? */
  readonly hasAuthentication: boolean
}

/**
 * Finds what belongs to the store of a caller.
 * @throws ApiError `unauthorized` or `forbidden` where the caller has none; Error, with what the
 * operator has to know, where the function fails or names none of the stores
 */
export function storeChooser<Caller, S>(
  stores: ReadonlyMap<string, S>,
  { choose, hasAuthentication }: StoreChoiceOptions<Caller>,
): (caller: Caller | undefined) => S {
  const names = joinWords([...stores.keys()].map((name) => `'${name}'`))
  const expected = `expected ${names}, or undefined for a caller without a store`
  return (caller) => {
    const name = nameFor(caller)
    if (name === undefined) throw withoutStore(caller)
    const store = typeof name === 'string' ? stores.get(name) : undefined
    if (store !== undefined) return store
    // A rejection that nobody handles would end the process.
    if (isPromise(name)) name.then(undefined, () => undefined)
    const value = isPromise(name) ? 'a promise' : truncate(inspect(name, { depth: 0 }))
    throw new Error(`The function 'store' of createRouter() returned ${value}; ${expected}.`)
  }

  function nameFor(caller: Caller | undefined): unknown {
    try {
      return choose(caller)
    } catch (error) {
      // What refuse() throws is meant for the client.
      if (error instanceof ApiError) throw error
      const thrown = truncate(inspect(error, { depth: 0 }).split('\n')[0]!)
      throw new Error(`The function 'store' of createRouter() threw ${thrown}; ${expected}.`, {
        cause: error,
      })
    }
  }

  function withoutStore(caller: Caller | undefined): ApiError {
    return hasAuthentication && caller === undefined
      ? createApiError('unauthorized', 'Sign in: there is no data for anonymous clients.')
      : createApiError('forbidden', 'There is no data for you in this service.')
  }
}
