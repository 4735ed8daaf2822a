import { contextForItem } from '../context/context.ts'
import type { Approvals } from '../operation/approvals.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { ItemPayload, LinkagePayload, PayloadValue } from '../serializer/payload.ts'
import { itemKey } from '../stored-item/item-key.ts'
import type { BatchCall } from './batch-calls.ts'

/**
 * The ids that a database made for the new items of a batch. While the batch is read, each new item
 * gets an id of the service, which later operations name (`lid`).
 */
export class BatchIds {
  readonly #idsOfDatabase = new Map<string, string>()
  /** By the item, because the items of several tables may have the same number. */
  readonly #idsOfService = new Map<string, string>()

  /** Notes the id of the item that an operation created. */
  add({ endpoint, payload }: BatchCall, result: OperationResult): void {
    const id = payload?.newId
    if (result.kind !== 'created' || id === undefined || result.item.id === id) return
    this.#idsOfDatabase.set(id, result.item.id)
    this.#idsOfService.set(itemKey(endpoint.rule.view.model, result.item.id), id)
  }

  /** The operation with the ids of the database. */
  apply(call: BatchCall): BatchCall {
    if (this.#idsOfDatabase.size === 0) return call
    const { context, payload } = call
    const id = context.id === undefined ? undefined : this.#idsOfDatabase.get(context.id)
    return {
      ...call,
      context: id === undefined ? context : contextForItem(context, context.rule, id),
      payload: payload && this.#payload(payload),
    }
  }

  /** A batch that runs again gets other ids of the database, for which no hook consented. */
  approvals({ check }: Approvals): Approvals {
    return {
      check: ({ model, ids }) =>
        check({
          model,
          ids: ids.map((id) => this.#idsOfService.get(itemKey(model, id)) ?? id),
        }),
    }
  }

  #payload(payload: ItemPayload): ItemPayload {
    return {
      ...payload,
      id: payload.id && this.#value(payload.id),
      relations: this.#relations(payload.relations),
      ...(payload.readOnlyRelations && {
        readOnlyRelations: this.#relations(payload.readOnlyRelations),
      }),
    }
  }

  #relations(relations: ItemPayload['relations']): ItemPayload['relations'] {
    return new Map(Array.from(relations, ([name, linkage]) => [name, this.#linkage(linkage)]))
  }

  #linkage(linkage: LinkagePayload): LinkagePayload {
    switch (linkage.kind) {
      case 'one':
        return { ...linkage, id: this.#value(linkage.id) }
      case 'many':
        return { ...linkage, ids: linkage.ids.map((id) => this.#value(id)) }
      case 'none':
        return linkage
    }
  }

  #value({ value, steps }: PayloadValue<string>): PayloadValue<string> {
    return { value: this.#idsOfDatabase.get(value) ?? value, steps }
  }
}
