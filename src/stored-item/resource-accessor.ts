import type { ResourcePath } from '../model/model-description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import type { StoredValues } from './stored-item.ts'

/** A place of an item where a resource is, or could be. */
export interface ResourceAccessor {
  readonly resource: StoredResource | null
  /** Puts another resource there, or none; the values are then to be stored. */
  set(resource: StoredResource | null): void
}

/**
 * The place in an item's values that a slot and the indexes of its lists name:
 * `/editions/:index/scan` with 0. Undefined where the item has none, such as the scan of an edition
 * that it does not list.
 */
export function resourceAccessor(
  values: StoredValues,
  { itemField, segments }: ResourcePath,
  indexes: readonly string[],
): ResourceAccessor | undefined {
  let lists = 0
  const inside = segments.slice(1).map((step) => (step === '*' ? (indexes[lists++] ?? '') : step))
  const steps = [itemField.name, ...inside]
  const last = steps.pop()!
  let holder: unknown = values
  for (const step of steps) holder = memberOf(holder, step)
  if (typeof holder !== 'object' || holder === null) return undefined
  const members = holder as Record<string, unknown>
  const held = memberOf(members, last)
  return {
    resource: held instanceof StoredResource ? held : null,
    set: (resource) => {
      members[last] = resource
    },
  }
}

const indexPattern = /^(?:0|[1-9]\d{0,8})$/

function memberOf(holder: unknown, step: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined
  if (Array.isArray(holder) && !indexPattern.test(step)) return undefined
  return Object.hasOwn(holder, step) ? (holder as Record<string, unknown>)[step] : undefined
}
