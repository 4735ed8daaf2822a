import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/description.ts'
import type { AnyModel } from '../model/model.ts'
import type { Views } from '../model/model-view.ts'
import type { IQuery } from '../query/iquery.ts'
import { query } from '../query/query.ts'
import { everything } from '../query/query-plan.ts'
import { querySource } from '../store/query-source.ts'
import type { StoredValues } from '../store/stored-item.ts'
import type { ActionJob, Result } from './job.ts'
import { runAction } from './run-action.ts'

/** What a callable registered on an item gets: the context of the request, and the item that the caller may change. */
export interface ItemContext<Item = unknown, Input = undefined> extends Context {
  readonly id: string
  /** As an instance of its model's class, relations as objects. What the callable changes of it is validated and stored when it returns. */
  readonly item: Item
  /** As its schema gives it; undefined where none is declared. */
  readonly input: Input
  /** Asks for items of any model, as far as the caller may see them. They come as they are stored, relations as identifiers. */
  query(model: AnyModel): IQuery<StoredValues>
}

/** Does something with one item. What it throws ends the request, and nothing is stored. */
export type ItemOperation<Item = unknown, Input = undefined, Output = unknown> = (
  context: ItemContext<Item, Input>,
) => Output

/** ItemApiOperation: hands the item to a callable of the service's own, and stores what it left. */
export function itemApiOperation(job: ActionJob): Promise<Result> {
  const { run } = job.action
  if (run.kind !== 'callable') throw new Error(`'${job.action.name}' was registered without a callable.`)
  const callable = run.callable as ItemOperation<object, unknown>
  return runAction(job, (item, input) => callable(itemContext(job, item, input)))
}

function itemContext(job: ActionJob, item: object, input: unknown): ItemContext<object, unknown> {
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
      const described = describedIn(views, model)
      return query(querySource(store, described), { ...everything, condition: guards.condition(described, context) })
    },
  }
}

function describedIn({ all }: Views, model: AnyModel): ModelDescription {
  const view = all.find((one) => one.model.model === model)
  if (view) return view.model
  throw new TypeError(`The model '${model.modelName}' is not prepared on this router.`)
}
