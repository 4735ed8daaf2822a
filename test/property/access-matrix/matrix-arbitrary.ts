import fc from 'fast-check'
import { callerArbitrary, stateArbitrary } from './data.ts'
import { listReadArbitrary } from './list-reads.ts'
import { readArbitrary, writeArbitrary } from './requests.ts'
import type { MatrixRun } from './run-matrix.ts'
import { type WorldState, withoutDangling } from './state.ts'
import type { MatrixCaller, Setting } from './visible.ts'

const settings: readonly Setting[] = (['rest', 'json-api'] as const).flatMap((policy) =>
  (['closed', 'open'] as const).flatMap((access) =>
    [false, true].flatMap((hasTenants) =>
      [false, false, true].map((hasCapabilities) => ({
        policy,
        access,
        hasTenants,
        hasCapabilities,
      })),
    ),
  ),
)

const reads = { rest: readArbitrary('rest'), 'json-api': readArbitrary('json-api') }
const listReads = { rest: listReadArbitrary('rest'), 'json-api': listReadArbitrary('json-api') }
const writes = { rest: writeArbitrary('rest'), 'json-api': writeArbitrary('json-api') }

/** A world, a caller, and what it asks for. */
export const matrixRun: fc.Arbitrary<MatrixRun> = fc
  .tuple(fc.constantFrom(...settings), fc.boolean())
  .chain(([setting, isReadOnly]) => {
    const { policy, hasTenants } = setting
    const request = isReadOnly
      ? reads[policy]
      : fc.oneof({ weight: 1, arbitrary: reads[policy] }, { weight: 1, arbitrary: writes[policy] })
    return fc
      .record({
        setting: fc.constant(setting),
        caller: callerArbitrary(hasTenants),
        state: stateArbitrary({ hasTenants, crossesTenants: isReadOnly }),
        requests: fc.array(request, { minLength: 1, maxLength: 110, size: 'max' }),
        guesses: fc.array(fc.nat(), { maxLength: 12, size: 'max' }),
        isReadOnly: fc.constant(isReadOnly),
        listReads: fc.array(listReads[policy], { maxLength: 40, size: 'max' }),
      })
      .map(({ listReads: others, ...run }) => ({
        ...run,
        requests: [...run.requests, ...others],
        state: withOwnTenant(run.state, run.caller),
      }))
  })

/** A caller and the person with its id are of one tenant, as in any service. */
function withOwnTenant(state: WorldState, caller: MatrixCaller): WorldState {
  const own = caller && state.person.get(caller.id)
  if (!own || own.tenant === caller.tenant) return state
  const others = [...state.person].filter(([id]) => id !== own.id)
  return withoutDangling({ ...state, person: new Map(others) })
}
