import { yieldIfBusy } from '../concurrency/yield-to-event-loop.ts'
import { type Context, contextForItem } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { NamedRequestHook } from '../middleware/named-hook.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { ApprovalRequired, type Approvals, type RelatedChange } from '../operation/approvals.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { ModelRule } from '../rule/rule.ts'
import { runRequestHooks } from './run-request-hooks.ts'

/** How items of a model are updated by requests of their own. */
export interface OtherUpdate {
  /** Undefined where the policy has no update. */
  readonly rule: ModelRule | undefined
  readonly hooks: readonly NamedRequestHook[]
}

/** The result of an operation, or the response of a hook. */
export type OperationOutcome =
  | OperationResult
  | { readonly kind: 'response'; readonly response: ApiResponse }

/** The other models whose items a request may change. */
export type OtherUpdates = ReadonlyMap<ModelDescription, OtherUpdate>

/** Approvals of the hooks of other models. */
export interface HookApprovals {
  readonly approvals: Approvals
  /** Runs the hooks for items without an approval; returns the response of a hook, if any. */
  request(change: RelatedChange): Promise<ApiResponse | undefined>
}

/**
 * Runs an operation that can change items of other models. Each such change is an update, for which
 * the request hooks of that model run. Which items change is known only inside the transaction: it
 * is undone, the hooks run, and it starts again.
 */
export async function withApprovals(
  otherUpdates: OtherUpdates,
  context: Context,
  operate: (approvals: Approvals) => Promise<OperationResult>,
): Promise<OperationOutcome> {
  const { approvals, request } = hookApprovals(otherUpdates, context)
  for (;;) {
    try {
      return await operate(approvals)
    } catch (error) {
      if (!(error instanceof ApprovalRequired)) throw error
      const response = await request(error.change)
      if (response) return { kind: 'response', response }
    }
  }
}

/**
 * The same in a transaction that has done other work, which cannot start again: the hooks run
 * inside it.
 */
export async function withApprovalsInTransaction(
  otherUpdates: OtherUpdates,
  context: Context,
  operate: (approvals: Approvals) => Promise<OperationResult>,
): Promise<OperationOutcome> {
  const { request } = hookApprovals(otherUpdates, context)
  let response: ApiResponse | undefined
  const approvals: Approvals = {
    check: async (change) => {
      if (!otherUpdates.has(change.model)) return
      response = await request(change)
      if (response) throw new ApprovalRequired(change)
    },
  }
  try {
    return await operate(approvals)
  } catch (error) {
    if (response && error instanceof ApprovalRequired) return { kind: 'response', response }
    throw error
  }
}

export function hookApprovals(otherUpdates: OtherUpdates, context: Context): HookApprovals {
  const approvedIds = new Map([...otherUpdates.keys()].map((model) => [model, new Set<string>()]))
  return {
    approvals: {
      check: ({ model, ids }) => {
        const approved = approvedIds.get(model)
        const unapproved = approved ? ids.filter((id) => !approved.has(id)) : []
        if (unapproved.length > 0) throw new ApprovalRequired({ model, ids: unapproved })
      },
    },
    request: async ({ model, ids }) => {
      const { hooks, rule } = otherUpdates.get(model)!
      for (const id of ids) {
        await yieldIfBusy(context)
        const response = await runRequestHooks(
          hooks,
          contextForItem(context, rule ?? context.rule, id),
        )
        if (response) return response
      }
      for (const id of ids) approvedIds.get(model)!.add(id)
      return undefined
    },
  }
}
