import type { Steps } from '../../serializer/payload.ts'

/** The value at a path inside another value; undefined if there is none. */
export function valueAt(value: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>(
    (current, step) =>
      typeof current === 'object' && current !== null && Object.hasOwn(current, step)
        ? Reflect.get(current, step)
        : undefined,
    value,
  )
}
