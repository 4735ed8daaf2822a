import { yieldIfBusy } from '../concurrency/yield-if-busy.ts'
import { type Context, contextForItem } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { NamedRequestHook } from '../middleware/hooks.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { ApprovalRequired, type Approvals, type RelatedChange } from '../operation/approvals.ts'
import type { OperationResult } from '../operation/operation-input.ts'
import type { ModelRule } from '../rule/rule.ts'
import { runRequestHooks } from './run-request-hooks.ts'

/** How a model's items are updated where they are themselves asked for. */
export interface OtherUpdate {
  /** Undefined where the policy has no update. */
  readonly rule: ModelRule | undefined
  readonly hooks: readonly NamedRequestHook[]
}

/** What an operation came to, or what a hook answered in its stead. */
export type OperationOutcome =
  | OperationResult
  | { readonly kind: 'answered'; readonly response: ApiResponse }

/** The models whose items a request may come to change beside its own. */
export type OtherUpdates = ReadonlyMap<ModelDescription, OtherUpdate>

/** What hooks of other models are to be asked, and have been. */
export interface HookApprovals {
  readonly approvals: Approvals
  /**
   * Asks about what nobody was asked about yet; undefined where no hook has an answer in the
   * operation's stead.
   */
  request(change: RelatedChange): Promise<ApiResponse | undefined>
}

/**
 * Runs an operation that can change items of other models: each such change is an update of theirs,
 * so that model's request hooks run for it, as they would had the item been asked for itself. Which
 * items these are is known only inside the transaction; it is undone, they are asked about, and it
 * begins anew.
 */
export async function withApprovals(
  others: OtherUpdates,
  context: Context,
  operate: (permits: Approvals) => Promise<OperationResult>,
): Promise<OperationOutcome> {
  const { approvals, request } = hookApprovals(others, context)
  for (;;) {
    try {
      return await operate(approvals)
    } catch (error) {
      if (!(error instanceof ApprovalRequired)) throw error
      const response = await request(error.change)
      if (response) return { kind: 'answered', response }
    }
  }
}

export function hookApprovals(others: OtherUpdates, context: Context): HookApprovals {
  const asked = new Map([...others.keys()].map((model) => [model, new Set<string>()]))
  return {
    approvals: {
      check: ({ model, ids }) => {
        const known = asked.get(model)
        const unasked = known ? ids.filter((id) => !known.has(id)) : []
        if (unasked.length > 0) throw new ApprovalRequired({ model, ids: unasked })
      },
    },
    request: async ({ model, ids }) => {
      const { hooks, rule } = others.get(model)!
      for (const id of ids) {
        await yieldIfBusy(context)
        const response = await runRequestHooks(
          hooks,
          contextForItem(context, rule ?? context.rule, id),
        )
        if (response) return response
      }
      for (const id of ids) asked.get(model)!.add(id)
      return undefined
    },
  }
}
