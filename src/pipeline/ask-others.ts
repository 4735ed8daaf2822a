import { type Context, contextOn } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { RequestHook } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Result } from '../operation/job.ts'
import { type Permits, type SideChange, Unasked } from '../operation/side-changes.ts'
import type { Rule } from '../rule/rule.ts'
import { runRequestHooks } from './run-request-hooks.ts'

/** How a model's items are updated where they are themselves asked for. */
export interface OtherUpdate {
  /** Undefined where the policy has no update. */
  readonly rule: Rule | undefined
  readonly hooks: readonly RequestHook[]
}

/** What an operation came to, or what a hook answered in its stead. */
export type Outcome = Result | { readonly kind: 'answered'; readonly response: ApiResponse }

/** The models whose items a request may come to change beside its own. */
export type OtherUpdates = ReadonlyMap<ModelDescription, OtherUpdate>

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
  const asked = new Map([...others.keys()].map((model) => [model, new Set<string>()]))
  const permits = permitsOf(asked)
  for (;;) {
    try {
      return await operate(permits)
    } catch (error) {
      if (!(error instanceof Unasked)) throw error
      const response = await ask(others, context, error.change)
      if (response) return { kind: 'answered', response }
      for (const id of error.change.ids) asked.get(error.change.model)!.add(id)
    }
  }
}

function permitsOf(asked: ReadonlyMap<ModelDescription, ReadonlySet<string>>): Permits {
  return {
    check: ({ model, ids }) => {
      const known = asked.get(model)
      const unasked = known ? ids.filter((id) => !known.has(id)) : []
      if (unasked.length > 0) throw new Unasked({ model, ids: unasked })
    },
  }
}

async function ask(
  others: OtherUpdates,
  context: Context,
  { model, ids }: SideChange,
): Promise<ApiResponse | undefined> {
  const { hooks, rule } = others.get(model)!
  for (const id of ids) {
    const response = await runRequestHooks(hooks, contextOn(context, rule ?? context.rule, id))
    if (response) return response
  }
  return undefined
}
