import type { IQuery } from '../../query/iquery.ts'
import type { RequestContext } from './request-context.ts'

// Members of methods, so that hooks of the package, which get the whole context, fit too.

/** A request hook of one action. At run time it gets the whole context of the request. */
export type ActionHook = { hook(context: RequestContext): unknown }['hook']

/** A query hook of one action: narrows the items on which it can be called. */
export type ActionQueryHook = { hook(query: IQuery, context: RequestContext): unknown }['hook']

/** Middleware of one action: `Middleware` without hooks around writes. */
export interface ActionMiddleware {
  readonly request?: Readonly<Record<string, ActionHook | undefined>>
  readonly query?: Readonly<Record<string, ActionQueryHook | undefined>>
  readonly around?: (context: never, next: never) => unknown
  readonly declares?: object
}

/** What runs for one action, besides what runs for its model. */
export type ActionUse = ActionHook | ActionMiddleware

/** As a list; empty without the option. */
export function actionUses(
  use: ActionUse | readonly ActionUse[] | undefined,
): readonly ActionUse[] {
  if (use === undefined) return []
  return Array.isArray(use) ? use : [use as ActionUse]
}
