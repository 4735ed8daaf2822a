import type { Context } from '../context/context.ts'
import { positionBefore } from '../operation/changes/position-before.ts'
import { always } from '../query/conditions.ts'
import type { ModelRule } from '../rule/rule.ts'
import { linksOf } from './changes-input.ts'
import type { ListCondition } from './narrow.ts'
import type { OperationRequest } from './operation-inputs.ts'
import type { OperationServices } from './operation-services.ts'

/**
 * Compiles what says, in lists and items, where to follow their changes: the position of an item is
 * one of the whole list. Undefined where clients cannot follow, and where reads may be older than
 * the position: they may lack what stands before it.
 */
export function compileChangesPosition(
  services: OperationServices,
  { view, response }: ModelRule,
  listCondition: ListCondition,
): ((request: OperationRequest) => Promise<string>) | undefined {
  const { changeFeed: feed, guards, store } = services
  if (!feed || !response.headers['changes-position'] || store.facts?.writePositions)
    return undefined
  const parts = { feed, view, guards, ...linksOf(services, view) }
  const ofItem = (context: Context) => guards.readCondition(view.model, context)
  return response.content === 'list'
    ? ({ context, selection }) =>
        positionBefore({
          ...parts,
          context,
          clientCondition: selection.condition,
          conditionFor: (other) => listCondition(selection, other),
        })
    : ({ context }) =>
        positionBefore({ ...parts, context, clientCondition: always, conditionFor: ofItem })
}
