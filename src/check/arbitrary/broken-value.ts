import fc from 'fast-check'
import { hostileValue } from './hostile-value.ts'

/** Values that are one step away from the given ones: a member lost, added, or of another kind, anywhere in them. */
export function brokenValue(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.nat(1_000), fc.constantFrom(...breakings), hostileValue)
    .map(([value, where, breaking, other]) => {
      const copy = structuredClone(value)
      const places = placesIn(copy)
      if (places.length === 0) return other
      breaking(places[where % places.length]!, other)
      return copy
    })
}

interface Place {
  readonly holder: Record<string, unknown>
  readonly name: string
}

const breakings: readonly ((place: Place, other: unknown) => void)[] = [
  ({ holder, name }, other) => put(holder, name, other),
  ({ holder, name }) => {
    if (!Array.isArray(holder)) delete holder[name]
  },
  ({ holder }, other) => {
    if (!Array.isArray(holder)) put(holder, 'notAMemberOfThis', other)
  },
  ({ holder, name }) => put(holder, name, [holder[name]]),
  ({ holder, name }) => put(holder, name, typeof holder[name] === 'number' ? -(holder[name] as number) - 1 : ''),
]

/** Own members only, whatever they are called. */
function put(holder: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true })
}

function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...placesIn(holder[name])])
}
