import { readerForCaller } from '../../access/masked-store.ts'
import { type Context, DerivedContext } from '../../context/context.ts'
import { planForCaller } from '../../context/guard-plan.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ModelViews } from '../../model/model-view.ts'
import type { IQuery } from '../../query/iquery.ts'
import { createQuery } from '../../query/query.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import { StoreQueries } from '../../store/store-queries.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { runAction, runActionErrors } from './run-action.ts'

export const itemApiOperationErrors: readonly ErrorCode[] = [...runActionErrors]

/** What a callable on an item gets: the context of the request, and the item. */
export interface ItemContext<Item = unknown, Input = undefined, Caller = unknown>
  extends Context<Caller> {
  readonly id: string
  /**
   * An instance of the model's class, with relations as objects. Changes are validated and stored
   * when the callable returns.
   */
  readonly item: Item
  /** The output of the input schema; undefined without one. */
  readonly input: Input
  /**
   * Queries items of any model, as the caller may: it finds the items that the caller sees, by
   * values that the caller sees. Items come as stored, with relations as ids, and without what
   * rules of fields keep from the caller. A name that is hidden from the caller throws when the
   * query runs, as an unknown one does.
   */
  query<M extends AnyModel>(model: M): IQuery<InstanceType<M>>
  /**
   * Reads and writes items of any model, as the service, in the transaction in which the changed
   * item is stored. The first use begins the transaction: on SQLite, no other write runs until the
   * callable has ended. Change the item itself through `item`.
   */
  readonly items: ItemsOf
}

/** Does something with one item. If it throws, nothing is stored and the request fails. */
export type ItemOperation<Item = unknown, Input = undefined, Output = unknown, Caller = unknown> = (
  context: ItemContext<Item, Input, Caller>,
) => Output

/** ItemApiOperation: passes the item to a callable of the service, and stores the result. */
export function itemApiOperation(input: ActionOperationInput): Promise<OperationResult> {
  const { run } = input.action
  if (run.kind !== 'callable') throw new Error(`The action '${input.action.name}' has no callable.`)
  const callable = run.callable as ItemOperation<object, unknown>
  return runAction(input, (item, actionInput, items) =>
    callable(itemContext(input, item, actionInput, items)),
  )
}

function itemContext(
  input: ActionOperationInput,
  item: object,
  actionInput: unknown,
  items: ItemsOf,
): ItemContext<object, unknown> {
  const { context, views, store, guards } = input
  const reader = readerForCaller(store, guards.fields, context)
  return new ItemOperationContext(context, item, actionInput, items, (model) => {
    const description = descriptionOf(views, model)
    const narrow = (plan: QueryPlan) => planForCaller(plan, description, input, context)
    return createQuery(
      new StoreQueries(description, () => reader, { narrow, view: views.of(description) }),
    )
  })
}

class ItemOperationContext extends DerivedContext implements ItemContext<object, unknown> {
  declare readonly id: string
  readonly item: object
  readonly input: unknown
  readonly items: ItemsOf
  readonly query: ItemContext<object, unknown>['query']

  constructor(
    context: Context,
    item: object,
    input: unknown,
    items: ItemsOf,
    query: ItemContext<object, unknown>['query'],
  ) {
    const { request, rule, params } = context
    super(context, { request, rule, params })
    this.item = item
    this.input = input
    this.items = items
    this.query = query
  }
}

function descriptionOf({ all }: ModelViews, model: AnyModel): ModelDescription {
  const view = all.find(({ model: description }) => description.model === model)
  if (view) return view.model
  throw new TypeError(
    `The model '${model.modelName}' is not prepared on this router. Call router.prepare() with it first.`,
  )
}
