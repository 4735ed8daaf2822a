import type { ModelDescription } from '../../model/model-description.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { storedNames } from '../../stored-item/stored-names.ts'
import { backfillFields } from '../backfill.ts'
import { filledItem } from '../filled-item.ts'

/** Fills in fields of items once, when a model is opened again. */
export class MemoryBackfills {
  readonly #done = new Set<string>()

  /** Values are among the hidden members then, where a migration finds them. */
  async fill(
    model: ModelDescription,
    items: readonly StoredItem[],
  ): Promise<readonly StoredItem[]> {
    const fields = backfillFields(model).filter(
      (field) => !storedNames(model, field).some((name) => this.#done.has(keyOf(model, name))),
    )
    if (fields.length === 0) return items
    return Promise.all(items.map((item) => filledItem(model, fields, item)))
  }

  finish(model: ModelDescription): void {
    for (const field of backfillFields(model)) this.#done.add(keyOf(model, field.wireName))
  }
}

function keyOf({ name }: ModelDescription, wireName: string): string {
  return `${name}.${wireName}`
}
