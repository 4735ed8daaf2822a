import type { Steps } from '../../serializer/payload.ts'

/** What stands at these steps inside a value; undefined where nothing does. */
export function valueAt(value: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? Reflect.get(at, step)
        : undefined,
    value,
  )
}
