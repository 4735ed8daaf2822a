import fc from 'fast-check'
import { hostileValue } from './hostile-value.ts'

/** Mutates one member anywhere in a value: removes it, adds one, or changes its type. */
export function brokenValue(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.nat(1_000), fc.constantFrom(...mutations), hostileValue)
    .map(([value, index, mutate, other]) => {
      const copy = structuredClone(value)
      const locations = memberLocationsIn(copy)
      if (locations.length === 0) return other
      mutate(locations[index % locations.length]!, other)
      return copy
    })
}

interface MemberLocation {
  readonly holder: Record<string, unknown>
  readonly name: string
}

const mutations: readonly ((location: MemberLocation, other: unknown) => void)[] = [
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

/** Defines an own member, also if its name is `__proto__`. */
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
