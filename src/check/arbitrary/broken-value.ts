import fc from 'fast-check'
import { hostileValue } from './hostile-value.ts'

/**
 * Values that are one step away from the given ones: a member lost, added, or of another kind,
 * anywhere in them.
 */
export function brokenValue(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.nat(1_000), fc.constantFrom(...mutations), hostileValue)
    .map(([value, where, breaking, other]) => {
      const copy = structuredClone(value)
      const places = memberLocationsIn(copy)
      if (places.length === 0) return other
      breaking(places[where % places.length]!, other)
      return copy
    })
}

interface MemberLocation {
  readonly holder: Record<string, unknown>
  readonly name: string
}

const mutations: readonly ((place: MemberLocation, other: unknown) => void)[] = [
  ({ holder, name }, other) => setMember(holder, name, other),
  ({ holder, name }) => {
    if (!Array.isArray(holder)) delete holder[name]
  },
  ({ holder }, other) => {
    if (!Array.isArray(holder)) setMember(holder, 'notAMemberOfThis', other)
  },
  ({ holder, name }) => setMember(holder, name, [holder[name]]),
  ({ holder, name }) =>
    setMember(holder, name, typeof holder[name] === 'number' ? -(holder[name] as number) - 1 : ''),
]

/** Own members only, whatever they are called. */
function setMember(holder: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(holder, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

function memberLocationsIn(value: unknown): readonly MemberLocation[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((name) => [
    { holder, name },
    ...memberLocationsIn(holder[name]),
  ])
}
