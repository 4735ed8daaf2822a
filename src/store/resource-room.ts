import type { ResourceSlot } from '../model/description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import type { StoredValues } from './stored-item.ts'

/** A place of an item where a resource is, or could be. */
export interface ResourceRoom {
  readonly resource: StoredResource | null
  /** Puts another resource there, or none; the values are then to be stored. */
  put(resource: StoredResource | null): void
}

/**
 * The place in an item's values that a slot and the indexes of its lists name: `/editions/:index/scan` with 0. Undefined where the item has none,
 * such as the scan of an edition that it does not list.
 */
export function roomIn(
  values: StoredValues,
  { top, way }: ResourceSlot,
  indexes: readonly string[],
): ResourceRoom | undefined {
  let lists = 0
  const inside = way.slice(1).map((step) => (step === '*' ? (indexes[lists++] ?? '') : step))
  const steps = [top.name, ...inside]
  const last = steps.pop()!
  let holder: unknown = values
  for (const step of steps) holder = memberOf(holder, step)
  if (typeof holder !== 'object' || holder === null) return undefined
  const members = holder as Record<string, unknown>
  const held = memberOf(members, last)
  return {
    resource: held instanceof StoredResource ? held : null,
    put: (resource) => {
      members[last] = resource
    },
  }
}

const index = /^(?:0|[1-9]\d{0,8})$/

function memberOf(holder: unknown, step: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined
  if (Array.isArray(holder) && !index.test(step)) return undefined
  return Object.hasOwn(holder, step) ? (holder as Record<string, unknown>)[step] : undefined
}
