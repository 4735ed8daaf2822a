import type { Context } from '../context/context.ts'
import { planForCaller } from '../context/guard-plan.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { ItemQuery } from '../model/items/items.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { createQuery, isDerivedFrom } from '../query/query.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import { StoreQueries } from '../store/store-queries.ts'
import { expectQuery } from './code-arguments.ts'
import type { ItemEnvironment } from './item-environment.ts'
import { hookedContext } from './run-operation.ts'

/** The queries of code about one model, as the actor sees its items. */
export class CodeQueries<M extends AnyModel> {
  readonly #environment: ItemEnvironment
  readonly #model: ModelDescription

  constructor(environment: ItemEnvironment, model: ModelDescription) {
    this.#environment = environment
    this.#model = model
  }

  /** The context in which items are read, once request hooks have let it pass. */
  contextOf(operation: 'GetItem' | 'GetList'): Promise<Context> {
    const endpoint = this.#environment.endpoints.of(this.#model, operation)
    return hookedContext(this.#environment, endpoint, { params: {} })
  }

  /** The plan of a query, narrowed to what the actor sees. */
  async plan(call: string, query: ItemQuery<M> | undefined): Promise<QueryPlan> {
    return this.narrowed(this.unnarrowed(call, query))
  }

  /**
   * @param call what gets the query, for errors
   * @throws TypeError if it is no function, or returns another query than one made from its own
   */
  unnarrowed(call: string, query: ItemQuery<M> | undefined): QueryPlan {
    if (query !== undefined) expectQuery(call, query)
    const narrow = (plan: QueryPlan) => this.narrowed(plan)
    const { reader, services } = this.#environment
    const view = services.views.of(this.#model)
    const all = createQuery(new StoreQueries(this.#model, () => reader, { narrow, view }))
    const narrowed: unknown = query ? query(all as never) : all
    if (!isDerivedFrom(all, narrowed))
      throw new TypeError(
        'A query function must return the query that it gets, or one made from it.',
      )
    return narrowed.plan
  }

  async narrowed(plan: QueryPlan): Promise<QueryPlan> {
    const { services } = this.#environment
    return planForCaller(plan, this.#model, services, await this.contextOf('GetList'))
  }
}
