import type { ModelDescription } from '../model/model-description.ts'

/** Names an item among those of all models. */
export function itemKey({ name }: ModelDescription, id: string): string {
  return `${name} ${id}`
}
