import { type Context, contextOn } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { NamedRequestHook } from '../middleware/hooks.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Result } from '../operation/job.ts'
import { type Permits, type SideChange, Unasked } from '../operation/side-changes.ts'
import type { ModelRule } from '../rule/rule.ts'
import { ownTurn } from './own-turn.ts'
import { runRequestHooks } from './run-request-hooks.ts'

/** How a model's items are updated where they are themselves asked for. */
export interface OtherUpdate {
  /** Undefined where the policy has no update. */
  readonly rule: ModelRule | undefined
  readonly hooks: readonly NamedRequestHook[]
}

/** What an operation came to, or what a hook answered in its stead. */
export type Outcome = Result | { readonly kind: 'answered'; readonly response: ApiResponse }

/** The models whose items a request may come to change beside its own. */
export type OtherUpdates = ReadonlyMap<ModelDescription, OtherUpdate>

/** What hooks of other models are to be asked, and have been. */
export interface Asking {
  readonly permits: Permits
  /** Asks about what nobody was asked about yet; undefined where no hook has an answer in the operation's stead. */
  ask(change: SideChange): Promise<ApiResponse | undefined>
}

/**
 * Runs an operation that can change items of other models: each such change is an update of theirs, so that model's request hooks run for
 * it, as they would had the item been asked for itself. Which items these are is known only inside the transaction; it is undone, they are asked
 * about, and it begins anew.
 */
export async function askingOthers(
  others: OtherUpdates,
  context: Context,
  operate: (permits: Permits) => Promise<Result>,
): Promise<Outcome> {
  const { permits, ask } = asking(others, context)
  for (;;) {
    try {
      return await operate(permits)
    } catch (error) {
      if (!(error instanceof Unasked)) throw error
      const response = await ask(error.change)
      if (response) return { kind: 'answered', response }
    }
  }
}

export function asking(others: OtherUpdates, context: Context): Asking {
  const asked = new Map([...others.keys()].map((model) => [model, new Set<string>()]))
  return {
    permits: {
      check: ({ model, ids }) => {
        const known = asked.get(model)
        const unasked = known ? ids.filter((id) => !known.has(id)) : []
        if (unasked.length > 0) throw new Unasked({ model, ids: unasked })
      },
    },
    ask: async ({ model, ids }) => {
      const { hooks, rule } = others.get(model)!
      for (const id of ids) {
        await ownTurn(context)
        const response = await runRequestHooks(hooks, contextOn(context, rule ?? context.rule, id))
        if (response) return response
      }
      for (const id of ids) asked.get(model)!.add(id)
      return undefined
    },
  }
}
