import fc from 'fast-check'
import { memory } from 'resourcery/memory'
import { expect, it, vi } from 'vitest'
import { shownItem } from '../../../src/operation/shown-item.ts'
import { andAlso } from '../../../src/query/conditions.ts'
import type { Condition } from '../../../src/query/query-plan.ts'
import { readStoredValues } from '../../../src/stored-item/create-stored-item.ts'
import { leaveRoutersUnwatched } from '../../support/truth/watching.ts'
import { Leak } from './compare-answers.ts'
import { matrixRun } from './matrix-arbitrary.ts'
import { type InMain, MatrixCounts, type MatrixRun, runMatrix } from './run-matrix.ts'

// Its comparison with the document for all callers costs more than the requests.
leaveRoutersUnwatched()

/** What is wrong with the service, and not with its twin. */
const planted = await vi.hoisted(async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks')
  return new AsyncLocalStorage<string>()
})

type Always = { readonly kind: 'always' }
const always = vi.hoisted((): { readonly condition: Always } => ({ condition: { kind: 'always' } }))

vi.mock('../../../src/access/masked-store.ts', async (original) => {
  const actual = await original<typeof import('../../../src/access/masked-store.ts')>()
  const unmasked: Readonly<Record<string, readonly string[]>> = {
    'items are not masked': ['find'],
    'lists are not masked': ['list', 'fastPaths'],
    'pages are not masked': ['page', 'fastPaths'],
    'pages of included items are not masked': ['relatedPages'],
  }
  const maskedStore: typeof actual.maskedStore = (store, guards) => {
    const masked = actual.maskedStore(store, guards)
    return new Proxy(masked, {
      get: (target, name) => {
        const source = unmasked[planted.getStore() ?? '']?.includes(String(name)) ? store : target
        const member: unknown = Reflect.get(source, name)
        return typeof member === 'function' ? member.bind(source) : member
      },
    })
  }
  const readerForCaller: typeof actual.readerForCaller = (reader, ...others) =>
    planted.getStore() === 'items of code are not masked in actions and transactions'
      ? reader
      : actual.readerForCaller(reader, ...others)
  return { ...actual, maskedStore, readerForCaller }
})

vi.mock('../../../src/middleware/guards.ts', async (original) => {
  const actual = await original<typeof import('../../../src/middleware/guards.ts')>()
  const createGuards: typeof actual.createGuards = (...parts) => {
    const guards = actual.createGuards(...parts)
    const { fields } = guards
    const { condition } = always
    const changed: Readonly<Record<string, Partial<typeof guards>>> = {
      'hidden items are found by their id': { itemCondition: () => condition },
      'related items are not guarded': { readCondition: () => condition },
      'selections of included items are not guarded': { narrowPlan: (_, plan) => plan },
      'linkage is not guarded': { isGuarded: () => false },
      'all items can be changed': { writeCondition: () => condition },
      'values are not guarded in paths': { fields: { ...fields, readCondition: () => condition } },
      'inverse relations show hidden links': {
        fields: { ...fields, linkCondition: () => condition },
      },
      'fields can be set against their rules': {
        fields: { ...fields, writeCondition: () => condition, writeRulesOf: () => [] },
      },
      'responses to writes are not masked': { fields: { ...fields, hasMasks: () => false } },
    }
    return { ...guards, ...changed[planted.getStore() ?? ''] }
  }
  return { ...actual, createGuards }
})

vi.mock('../../../src/context/guard-plan.ts', async (original) => {
  const actual = await original<typeof import('../../../src/context/guard-plan.ts')>()
  const guardPlan: typeof actual.guardPlan = (plan, ...others) => {
    const guarded = actual.guardPlan(plan, ...others)
    if (planted.getStore() === 'sorts are not guarded') return { ...guarded, sort: plan.sort }
    if (planted.getStore() === 'filters are not guarded')
      return { ...guarded, condition: plan.condition }
    return guarded
  }
  const planForCaller: typeof actual.planForCaller = (plan, model, scope, context) => {
    const { guards } = scope
    if (planted.getStore() === 'code asks for what its caller does not see')
      return {
        ...plan,
        condition: andAlso(plan.condition, guards.readCondition(model, context)),
      }
    if (planted.getStore() === 'code finds what its caller does not find')
      return actual.guardPlan(plan, model, guards, context)
    return actual.planForCaller(plan, model, scope, context)
  }
  return { ...actual, guardPlan, planForCaller }
})

vi.mock('../../../src/operation/summary/whole-list.ts', async (original) => {
  const actual = await original<typeof import('../../../src/operation/summary/whole-list.ts')>()
  const guarded: typeof actual.guarded = (input, path) =>
    planted.getStore() === 'sums and groups are not guarded' ? path : actual.guarded(input, path)
  return { ...actual, guarded }
})

vi.mock('../../../src/operation/find-item.ts', async (original) => {
  const actual = await original<typeof import('../../../src/operation/find-item.ts')>()
  const findItem: typeof actual.findItem = async (reader, input) => {
    const item = await actual.findItem(reader, input)
    return planted.getStore() === 'asynchronous actions get what their caller sees' &&
      input.context.action !== undefined &&
      'write' in reader
      ? shownItem(reader, input, item)
      : item
  }
  return { ...actual, findItem }
})

vi.mock('../../../src/feature/idempotency/replay-result.ts', async (original) => {
  const actual =
    await original<typeof import('../../../src/feature/idempotency/replay-result.ts')>()
  const replayResult: typeof actual.replayResult = ({ store, wholeStore, guards }, ...rest) =>
    actual.replayResult(
      {
        store: planted.getStore() === 'repeats are not masked' ? wholeStore : store,
        wholeStore,
        guards,
      },
      ...rest,
    )
  return { ...actual, replayResult }
})

vi.mock('../../../src/middleware/access-checks.ts', async (original) => {
  const actual = await original<typeof import('../../../src/middleware/access-checks.ts')>()
  const accessMiddleware: typeof actual.accessMiddleware = (...parts) => {
    const middleware = actual.accessMiddleware(...parts)
    const { access } = middleware
    const changed: Readonly<Record<string, Partial<typeof access>>> = {
      'nothing is hidden': { read: [] },
      'nobody is refused whatever the item': { request: () => [] },
      'anything can be created': { created: [], request: () => [] },
    }
    return { ...middleware, access: { ...access, ...changed[planted.getStore() ?? ''] } }
  }
  return { ...actual, accessMiddleware }
})

vi.mock('../../../src/access/field-variants.ts', async (original) => {
  const actual = await original<typeof import('../../../src/access/field-variants.ts')>()
  const fieldVariants: typeof actual.fieldVariants = (accesses) => {
    const variants = actual.fieldVariants(accesses)
    return planted.getStore() === 'all callers get the same variant'
      ? { ...variants, keyOf: () => '' }
      : variants
  }
  return { ...actual, fieldVariants }
})

vi.mock('../../../src/access/operand-value.ts', async (original) => {
  const actual = await original<typeof import('../../../src/access/operand-value.ts')>()
  const operandValue: typeof actual.operandValue = (operand, context) => {
    if (operand.kind === 'now' && planted.getStore() === 'items are shown before their time')
      return new Date(Date.UTC(2030, 0))
    return (
      actual.operandValue(operand, context) ??
      (planted.getStore() === 'nobody equals nothing' ? null : undefined)
    )
  }
  return { ...actual, operandValue }
})

vi.mock('../../../src/access/evaluate-access.ts', async (original) => {
  const actual = await original<typeof import('../../../src/access/evaluate-access.ts')>()
  const itemCondition: typeof actual.itemCondition = (...parts) => {
    const condition = actual.itemCondition(...parts)
    switch (planted.getStore()) {
      case 'any related item opens an item':
        return mapSome(condition, (some) => ({ ...some, condition: { kind: 'always' } }))
      case 'related items do not count':
        return mapSome(condition, () => ({ kind: 'never' }))
      default:
        return condition
    }
  }
  return { ...actual, itemCondition }
})

type SomeCondition = Extract<Condition, { kind: 'some' }>

function mapSome(condition: Condition, change: (some: SomeCondition) => Condition): Condition {
  switch (condition.kind) {
    case 'some':
      return change(condition)
    case 'not':
      return { kind: 'not', condition: mapSome(condition.condition, change) }
    case 'and':
    case 'or':
      return {
        ...condition,
        conditions: condition.conditions.map((operand) => mapSome(operand, change)),
      }
    default:
      return condition
  }
}

vi.mock('../../../src/operation/write/change-rules.ts', async (original) => {
  const actual = await original<typeof import('../../../src/operation/write/change-rules.ts')>()
  const always = { kind: 'always' } as const
  const changeOutcome: typeof actual.changeOutcome = async (...parts) =>
    planted.getStore() === 'changes are not compared with what was stored'
      ? always
      : actual.changeOutcome(...parts)
  const changeRulesOutcome: typeof actual.changeRulesOutcome = async (...parts) =>
    planted.getStore() === 'changes are not compared with what was stored'
      ? always
      : actual.changeRulesOutcome(...parts)
  return { ...actual, changeOutcome, changeRulesOutcome }
})

vi.mock('../../../src/feature/tenant/within-tenant.ts', async (original) => {
  const actual = await original<typeof import('../../../src/feature/tenant/within-tenant.ts')>()
  const withinTenant: typeof actual.withinTenant = (tenant, rules, isClosed) => {
    const within = actual.withinTenant(tenant, rules, isClosed)
    const anyone = { kind: 'anyone' } as const
    const others = { ...rules?.fields }
    if (planted.getStore() === 'tenants see one another')
      return { ...within, read: rules?.read ?? anyone }
    if (planted.getStore() === 'tenants change one another')
      return { ...within, update: rules?.update ?? anyone, read: rules?.read ?? anyone }
    return planted.getStore() === 'clients see the tenant' ? { ...within, fields: others } : within
  }
  return { ...actual, withinTenant }
})

vi.mock('../../../src/operation/shown-item.ts', async (original) => {
  const actual = await original<typeof import('../../../src/operation/shown-item.ts')>()
  const seenItem: typeof actual.seenItem = async (reader, input, item) =>
    planted.getStore() === 'replacements drop what is masked'
      ? { shown: (await actual.seenItem(reader, input, item)).shown, masked: new Set() }
      : actual.seenItem(reader, input, item)
  return { ...actual, seenItem }
})

vi.mock('../../../src/operation/write/unseen-links.ts', async (original) => {
  const actual = await original<typeof import('../../../src/operation/write/unseen-links.ts')>()
  const findUnseenLinks: typeof actual.findUnseenLinks = async (...parts) =>
    planted.getStore() === 'replacements drop hidden links'
      ? new Map()
      : actual.findUnseenLinks(...parts)
  return { ...actual, findUnseenLinks }
})

vi.mock('../../../src/operation/write/guarded-members.ts', async (original) => {
  const actual = await original<typeof import('../../../src/operation/write/guarded-members.ts')>()
  const checkGuardedMembers: typeof actual.checkGuardedMembers = (reader, input, stored) =>
    actual.checkGuardedMembers(
      reader,
      input,
      stored && planted.getStore() === 'a right guess is never refused'
        ? { ...stored, seenValues: readStoredValues(input.view.model, stored.item) }
        : stored,
    )
  return { ...actual, checkGuardedMembers }
})

vi.mock('../../../src/access/rollup-rules.ts', async (original) => {
  const actual = await original<typeof import('../../../src/access/rollup-rules.ts')>()
  const withRollupRules: typeof actual.withRollupRules = (model, rulesOf, readRuleOf) =>
    planted.getStore() === 'rollups have rules of their own only'
      ? rulesOf(model)
      : actual.withRollupRules(model, rulesOf, readRuleOf)
  return { ...actual, withRollupRules }
})

vi.mock('../../../src/access/mask-items.ts', async (original) => {
  const actual = await original<typeof import('../../../src/access/mask-items.ts')>()
  const maskItems: typeof actual.maskItems = async (reader, model, items, masks) => {
    const without = (kind: string) =>
      masks.filter(({ name }) => model.fieldsByName.get(name)!.kind !== kind)
    if (planted.getStore() === 'files are not masked')
      return actual.maskItems(reader, model, items, without('resource'))
    if (planted.getStore() === 'relations are not masked')
      return actual.maskItems(reader, model, items, without('toOne'))
    return actual.maskItems(reader, model, items, masks)
  }
  return { ...actual, maskItems }
})

/** What is planted, and the run that finds it first. */
const leaks: Readonly<Record<string, number>> = {
  'items are not masked': 0,
  'lists are not masked': 0,
  'pages are not masked': 0,
  'pages of included items are not masked': 8,
  'hidden items are found by their id': 4,
  'related items are not guarded': 0,
  'selections of included items are not guarded': 41,
  'linkage is not guarded': 0,
  'all items can be changed': 402,
  'values are not guarded in paths': 0,
  'inverse relations show hidden links': 25,
  'fields can be set against their rules': 2,
  'responses to writes are not masked': 2,
  'sorts are not guarded': 0,
  'filters are not guarded': 0,
  'sums and groups are not guarded': 6,
  'rollups have rules of their own only': 5,
  'nothing is hidden': 0,
  'nobody is refused whatever the item': 0,
  'anything can be created': 0,
  'all callers get the same variant': 3,
  'nobody equals nothing': 3,
  'tenants see one another': 1,
  'tenants change one another': 1,
  'clients see the tenant': 7,
  'replacements drop what is masked': 2,
  'replacements drop hidden links': 26,
  'files are not masked': 0,
  'relations are not masked': 0,
  'code asks for what its caller does not see': 2,
  'code finds what its caller does not find': 6,
  'items of code are not masked in actions and transactions': 6,
  'asynchronous actions get what their caller sees': 2,
  'repeats are not masked': 26,
  'items are shown before their time': 0,
  'any related item opens an item': 2,
  'related items do not count': 0,
  'changes are not compared with what was stored': 2,
  'a right guess is never refused': 2,
}

/** For leaks that their run does not find any more, because the matrix has changed. */
const maxRuns = 500
const runsAtOnce = 20

const samples = new Map<number, readonly MatrixRun[]>()

/** The runs of a seed, which most leaks have in common. */
function sampleFrom(seed: number): readonly MatrixRun[] {
  const sample = samples.get(seed) ?? fc.sample(matrixRun, { numRuns: runsAtOnce, seed })
  samples.set(seed, sample)
  return sample
}

it.each(Object.entries(leaks))(
  'The matrix finds that %s',
  async (leak, expectedRun) => {
    const planting: InMain = (work) => planted.run(leak, work)
    const run = (await findsLeak(expectedRun, planting))
      ? expectedRun
      : await firstFinding(planting)
    expect(run).toBeLessThan(maxRuns)
    if (run !== expectedRun) console.log(`'${leak}' is found by run ${run} first.`)
  },
  300_000,
)

// The matrix itself, whose runs FUZZ_RUNS sets, sends others.
it('The matrix finds nothing in the same requests where nothing is planted', async () => {
  const first = Array.from({ length: runsAtOnce }, (_, run) => run)
  for (const run of new Set([...first, ...Object.values(leaks)]))
    expect(await findsLeak(run, (work) => work()), `run ${run}`).toBe(false)
}, 300_000)

async function firstFinding(inMain: InMain): Promise<number> {
  for (let run = 0; run < maxRuns; run++) if (await findsLeak(run, inMain)) return run
  return maxRuns
}

async function findsLeak(run: number, inMain: InMain): Promise<boolean> {
  const index = run % runsAtOnce
  const sample = sampleFrom(run - index)[index]!
  try {
    await runMatrix(async () => memory(), sample, new MatrixCounts(), inMain)
  } catch (error) {
    if (!(error instanceof Leak)) throw error
    return true
  }
  return false
}
