import { ApiError, type FailedItem } from '../error/api-error.ts'
import type { RequestHeaders } from '../http/api-request.ts'
import { checkOptions } from '../model/check-options.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { AggregateOf, CodeGroup, GroupKeyOf } from '../model/items/group-types.ts'
import type {
  ActionInputOf,
  ActionNameOf,
  ActionResultOf,
  CodeItem,
  IncludableOf,
  ItemChanges,
  NewItem,
} from '../model/items/item-types.ts'
import type {
  GroupOptions,
  ItemQuery,
  Items,
  ReadItemOptions,
  ReadResource,
  ResourceBytes,
  WriteItemOptions,
} from '../model/items/items.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import { andAlso, idEquals } from '../query/conditions.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'
import { expectItems, expectQuery, expectReadOptions, writeHeaders } from './code-arguments.ts'
import { codeGroups, groupOptions } from './code-groups.ts'
import { codeItem, codeItems } from './code-item.ts'
import { codePayload } from './code-payload.ts'
import { CodeQueries } from './code-queries.ts'
import { deleteResource, readResource, setResource } from './code-resources.ts'
import { namingEarlierRows } from './earlier-rows.ts'
import { expectId } from './expect-id.ts'
import { forAllItems } from './for-all-items.ts'
import type { ItemEnvironment } from './item-environment.ts'
import { runOperation } from './run-operation.ts'

/** Items of one model in code. */
export class ModelItems<M extends AnyModel> implements Items<M> {
  readonly #environment: ItemEnvironment
  readonly #model: ModelDescription
  readonly #queries: CodeQueries<M>

  constructor(environment: ItemEnvironment, model: ModelDescription) {
    this.#environment = environment
    this.#model = model
    this.#queries = new CodeQueries(environment, model)
  }

  async get<Included extends IncludableOf<M> = never>(
    id: string,
    options?: ReadItemOptions<Included>,
  ): Promise<CodeItem<M, Included> | undefined> {
    expectReadOptions('get()', options)
    const { services, reader } = this.#environment
    const guard = services.guards.readCondition(
      this.#model,
      await this.#queries.contextOf('GetItem'),
    )
    const item = await reader.find(this.#model, andAlso(guard, idEquals(id)))
    if (!item) return undefined
    const [result] = await codeItems<M, Included>(this.#environment, this.#model, [item], options)
    return result
  }

  async first<Included extends IncludableOf<M> = never>(
    query?: ItemQuery<M>,
    options?: ReadItemOptions<Included>,
  ): Promise<CodeItem<M, Included> | undefined> {
    if (query !== undefined) expectQuery('first()', query)
    const one: ItemQuery<M> = (all) => (query ? query(all) : all).limit(1)
    for await (const item of this.#list('first()', one, options)) return item
    return undefined
  }

  async all<Included extends IncludableOf<M> = never>(
    query?: ItemQuery<M>,
    options?: ReadItemOptions<Included>,
  ): Promise<CodeItem<M, Included>[]> {
    const items: CodeItem<M, Included>[] = []
    for await (const item of this.#list('all()', query, options)) items.push(item)
    return items
  }

  find<Included extends IncludableOf<M> = never>(
    query?: ItemQuery<M>,
    options?: ReadItemOptions<Included>,
  ): AsyncGenerator<CodeItem<M, Included>> {
    return this.#list('find()', query, options)
  }

  async count(query?: ItemQuery<M>): Promise<number> {
    const { condition } = await this.#queries.plan('count()', query)
    return this.#environment.reader.count(this.#model, condition)
  }

  async groups<const Key extends GroupKeyOf<M>, const Aggregate extends AggregateOf<M> = never>(
    options: GroupOptions<M, Key, Aggregate>,
  ): Promise<readonly CodeGroup<M, Key, Aggregate>[]> {
    checkOptions('groups()', options, groupOptions)
    const { where, ...asked } = options
    const groups = codeGroups(this.#model, asked)
    const { condition, pageRange } = this.#queries.unnarrowed(
      "The option 'where' of groups()",
      where,
    )
    const narrowed = await this.#queries.narrowed({ condition, sort: groups.paths, pageRange })
    const found = await this.#environment.reader.groups(this.#model, {
      ...groups.plan(narrowed.sort),
      condition: narrowed.condition,
      order: 'keys',
      limit: Number.MAX_SAFE_INTEGER,
    })
    return found.map((group) => groups.valuesOf(group) as CodeGroup<M, Key, Aggregate>)
  }

  async create(values: NewItem<M>): Promise<CodeItem<M>> {
    return this.#itemOf(await this.#write('CreateItem', undefined, values))
  }

  async createMany(values: Iterable<NewItem<M>>): Promise<CodeItem<M>[]> {
    // The transaction may run again, and values may be iterated only once.
    const all = expectItems('createMany()', values)
    return this.#inTransaction((items) => items.#createAll(all))
  }

  async validate(values: Iterable<unknown>): Promise<readonly FailedItem[]> {
    if (this.#environment.calls)
      throw new TypeError(
        'validate() undoes a transaction of its own, so code in a transaction cannot call it. createMany() names all items that are invalid.',
      )
    // codePayload reports rows that are no objects, and the schemas report their members.
    const all = expectItems('validate()', values) as NewItem<M>[]
    try {
      return await this.#inTransaction(async (items) => {
        await items.#createAll(all)
        throw new AllValid()
      })
    } catch (error) {
      if (error instanceof AllValid) return []
      if (error instanceof ApiError && error.failedItems.length > 0) return error.failedItems
      throw error
    }
  }

  #createAll(values: readonly NewItem<M>[]): Promise<CodeItem<M>[]> {
    const model = this.#model.name
    return forAllItems(
      values,
      (_, index) => ({ model, id: undefined, index }),
      namingEarlierRows(this.#model, (each) => this.create(each)),
    )
  }

  async update(
    id: string,
    changes: ItemChanges<M>,
    options?: WriteItemOptions,
  ): Promise<CodeItem<M>> {
    expectId('update()', id)
    return this.#itemOf(
      await this.#write('UpdateItem', id, changes, writeHeaders('update()', options)),
    )
  }

  async replace(id: string, values: NewItem<M>, options?: WriteItemOptions): Promise<CodeItem<M>> {
    expectId('replace()', id)
    return this.#itemOf(
      await this.#write('ReplaceItem', id, values, writeHeaders('replace()', options)),
    )
  }

  upsert(values: NewItem<M> & { readonly id: string }): Promise<CodeItem<M>> {
    return this.#inTransaction(async (items) =>
      (await items.#exists(values.id)) ? items.replace(values.id, values) : items.create(values),
    )
  }

  async delete(id: string, options?: WriteItemOptions): Promise<void> {
    expectId('delete()', id)
    await runOperation(this.#environment, this.#endpoint('DeleteItem'), {
      params: { id },
      headers: writeHeaders('delete()', options),
    })
  }

  updateWhere(query: ItemQuery<M>, changes: ItemChanges<M>): Promise<number> {
    return this.#forEach('updateWhere()', query, (items, id) => items.update(id, changes))
  }

  deleteWhere(query: ItemQuery<M>): Promise<number> {
    return this.#forEach('deleteWhere()', query, (items, id) => items.delete(id))
  }

  async call<const Name extends ActionNameOf<M>>(
    id: string,
    action: Name,
    input?: ActionInputOf<M, Name>,
    options?: WriteItemOptions,
  ): Promise<ActionResultOf<M, Name>> {
    const result = await this.callOperation(id, action, input, options)
    return result as ActionResultOf<M, Name>
  }

  async callOperation(
    id: string,
    action: string,
    input?: unknown,
    options?: WriteItemOptions,
  ): Promise<unknown> {
    expectId('call()', id)
    const headers = writeHeaders('call()', options)
    const payload: ActionPayload =
      input === undefined
        ? { kind: 'absent' }
        : { kind: 'present', document: input, value: input, steps: [] }
    const result = await runOperation(
      this.#environment,
      this.#environment.endpoints.action(this.#model, action),
      { params: { id }, headers, payload },
    )
    return result.kind === 'output' ? JSON.parse(result.text) : this.#itemOf(result)
  }

  setResource(id: string, path: string, content: ResourceBytes): Promise<BinaryResource> {
    return setResource(this.#resource(id, path), content)
  }

  readResource(id: string, path: string): Promise<ReadResource | undefined> {
    return readResource(this.#resource(id, path))
  }

  deleteResource(id: string, path: string): Promise<void> {
    return deleteResource(this.#resource(id, path))
  }

  async *#list<Included extends IncludableOf<M> = never>(
    call: string,
    query: ItemQuery<M> | undefined,
    options: ReadItemOptions<Included> | undefined,
  ): AsyncGenerator<CodeItem<M, Included>> {
    expectReadOptions(call, options)
    const plan = await this.#queries.plan(call, query)
    for await (const batch of this.#environment.reader.list(this.#model, plan))
      yield* await codeItems<M, Included>(this.#environment, this.#model, batch, options)
  }

  #resource(id: string, path: string) {
    return { environment: this.#environment, model: this.#model, id, path }
  }

  #endpoint(operation: 'CreateItem' | 'UpdateItem' | 'ReplaceItem' | 'DeleteItem') {
    return this.#environment.endpoints.of(this.#model, operation)
  }

  #write(
    operation: 'CreateItem' | 'UpdateItem' | 'ReplaceItem',
    id: string | undefined,
    values: object,
    headers: RequestHeaders = {},
  ): Promise<OperationResult> {
    const endpoint = this.#endpoint(operation)
    const payload: ItemPayload = codePayload(endpoint.rule.view, values)
    return runOperation(this.#environment, endpoint, {
      params: id === undefined ? {} : { id },
      headers,
      payload,
    })
  }

  async #exists(id: string): Promise<boolean> {
    return (await this.#environment.reader.find(this.#model, idEquals(id))) !== undefined
  }

  #inTransaction<T>(work: (items: ModelItems<M>) => Promise<T>): Promise<T> {
    return this.#environment.inTransaction((environment) =>
      work(new ModelItems<M>(environment, this.#model)),
    )
  }

  /** Ids are read first, because the changes may move items in the list. */
  async #forEach(
    call: string,
    query: ItemQuery<M>,
    change: (items: ModelItems<M>, id: string) => Promise<unknown>,
  ): Promise<number> {
    expectQuery(call, query)
    return this.#inTransaction(async (items) => {
      const ids: string[] = []
      const plan = await items.#queries.plan(call, query)
      for await (const batch of items.#environment.reader.list(this.#model, plan))
        for (const { id } of batch) ids.push(id)
      const model = this.#model.name
      await forAllItems(
        ids,
        (id) => ({ model, id, index: undefined }),
        (id) => change(items, id),
      )
      return ids.length
    })
  }

  #itemOf(result: OperationResult): CodeItem<M> {
    if (result.kind === 'item' || result.kind === 'created')
      return codeItem<M>(this.#environment.services.views, this.#model, result.item)
    throw new Error(`An operation on '${this.#model.name}' returned no item.`)
  }
}

/** Undoes the transaction in which new items were tried. */
class AllValid extends Error {
  override readonly name = 'AllValid'
}
