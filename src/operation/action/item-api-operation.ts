import type { Context } from '../../context/context.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ModelViews } from '../../model/model-view.ts'
import type { IQuery } from '../../query/iquery.ts'
import { createQuery } from '../../query/query.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { querySource } from '../../store/query-source.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { ActionOperationInput, OperationResult } from '../operation-input.ts'
import { runAction } from './run-action.ts'

/**
 * What a callable registered on an item gets: the context of the request, and the item that the
 * caller may change.
 */
export interface ItemContext<Item = unknown, Input = undefined> extends Context {
  readonly id: string
  /**
   * As an instance of its model's class, relations as objects. What the callable changes of it is
   * validated and stored when it returns.
   */
  readonly item: Item
  /** As its schema gives it; undefined where none is declared. */
  readonly input: Input
  /**
   * Asks for items of any model, as far as the caller may see them. They come as they are stored,
   * relations as identifiers.
   */
  query(model: AnyModel): IQuery<StoredValues>
}

/** Does something with one item. What it throws ends the request, and nothing is stored. */
export type ItemOperation<Item = unknown, Input = undefined, Output = unknown> = (
  context: ItemContext<Item, Input>,
) => Output

/** ItemApiOperation: hands the item to a callable of the service's own, and stores what it left. */
export function itemApiOperation(job: ActionOperationInput): Promise<OperationResult> {
  const { run } = job.action
  if (run.kind !== 'callable')
    throw new Error(`'${job.action.name}' was registered without a callable.`)
  const callable = run.callable as ItemOperation<object, unknown>
  return runAction(job, (item, input) => callable(itemContext(job, item, input)))
}

function itemContext(
  job: ActionOperationInput,
  item: object,
  input: unknown,
): ItemContext<object, unknown> {
  const { context, views, store, guards } = job
  return {
    request: context.request,
    rule: context.rule,
    params: context.params,
    id: context.id!,
    state: context.state,
    get signal() {
      return context.signal
    },
    setHeader: context.setHeader,
    appendHeader: context.appendHeader,
    get headers() {
      return context.headers
    },
    item,
    input,
    query: (model) => {
      const described = descriptionOf(views, model)
      return createQuery(querySource(store, described), {
        ...allItemsPlan,
        condition: guards.readCondition(described, context),
      })
    },
  }
}

function descriptionOf({ all }: ModelViews, model: AnyModel): ModelDescription {
  const view = all.find((one) => one.model.model === model)
  if (view) return view.model
  throw new TypeError(`The model '${model.modelName}' is not prepared on this router.`)
}
