import {
  type Authenticator,
  createRouter,
  type ItemContext,
  type Router,
  type Store,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { otherStore } from '../../support/stores.ts'
import { type Models, modelsOf } from './models.ts'
import { type AnySymbols, type ModelRules, rulesOf, twinRulesOf } from './rules.ts'
import { Search, search } from './search.ts'
import {
  files,
  type ItemValues,
  type ModelName,
  modelNames,
  relations,
  type WorldState,
} from './state.ts'
import {
  type MatrixCaller,
  missingFields,
  refusalOf,
  type Setting,
  timeOfRequests,
  Visibility,
} from './visible.ts'

type Caller = z.infer<typeof Caller>
const Caller = z.object({
  id: z.string(),
  roles: z.array(z.string()).default([]),
  tenant: z.string().optional(),
})

/** The token is the caller as JSON. */
const token: Authenticator<z.input<typeof Caller>> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: ({ headers }) => {
    const text = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (text === undefined) return undefined
    return { caller: JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) }
  },
}

export function headersOf(caller: MatrixCaller): Record<string, string> {
  if (!caller) return {}
  return { authorization: `Bearer ${Buffer.from(JSON.stringify(caller)).toString('base64url')}` }
}

/** A router with its models, and what is stored behind it. */
export interface World {
  readonly router: Router<Caller>
  readonly models: Models
}

/** The service as it is deployed: all items, and the rules. */
export async function openMain(store: Store, setting: Setting, state: WorldState): Promise<World> {
  const { hasTenants } = setting
  const models = modelsOf({ missing: new Set(), hasTenants, ...shapeOf(setting) })
  const { security, ...others } = options(store, setting)
  const router = createRouter<typeof Caller>({
    ...others,
    security: {
      ...security,
      ...(setting.hasTenants && { tenant: { field: 'tenant', equal: (caller) => caller.tenant } }),
    },
  })
  prepare(router, models, (name, symbols) => rulesOf(name, symbols))
  return filled({ router, models }, state)
}

/** A service that has only what the caller may see, and no rule that hides anything. */
export async function openTwin(
  store: Store,
  setting: Setting,
  caller: MatrixCaller,
  state: WorldState,
): Promise<World> {
  const models = modelsOf({
    missing: missingFields(caller),
    hasTenants: false,
    ...shapeOf(setting),
  })
  const router = createRouter(options(store, setting))
  prepare(router, models, (name, symbols) => twinRulesOf(name, symbols, setting, caller))
  return filled({ router, models }, visibleState(setting, caller, state))
}

/** Where a rule of tracks depends on the track, a start refuses rollups of them. */
function shapeOf({ access, hasTenants }: Setting) {
  return { hasRollupsOfTracks: access === 'open' && !hasTenants }
}

/** What the caller may see of all items. */
export function visibleState(
  setting: Setting,
  caller: MatrixCaller,
  state: WorldState,
): WorldState {
  return new Visibility(setting, caller, state).state()
}

/** The items of a world as they are stored. */
export async function readState({ router, models }: World): Promise<WorldState> {
  const entries: [ModelName, Map<string, ItemValues>][] = []
  for (const name of modelNames) {
    const items = new Map<string, ItemValues>()
    for await (const item of router.query(models[name]).exec()) {
      const { hash: _, ...values } = JSON.parse(JSON.stringify(item)) as ItemValues
      const bytes: Record<string, unknown> = {}
      for (const path of files[name]) {
        if (!values[path]) continue
        const resource = await router.items(models[name]).readResource(values.id, path)
        const chunks: Uint8Array[] = []
        for await (const chunk of resource!.bytes) chunks.push(chunk)
        bytes[path] = Buffer.concat(chunks).toString('utf8')
      }
      items.set(values.id, { ...values, ...bytes })
    }
    entries.push([name, items])
  }
  return Object.fromEntries(entries) as unknown as WorldState
}

/** The same without models that the caller cannot read at all, whatever they hold. */
export function withoutRefused(
  setting: Setting,
  caller: MatrixCaller,
  state: WorldState,
): WorldState {
  return Object.fromEntries(
    modelNames.map((name) => [
      name,
      refusalOf(name, setting, caller) === 'never' ? state[name] : new Map(),
    ]),
  ) as unknown as WorldState
}

const fileOptions = { jsonLines: true, csv: true } as const

function options(store: Store, { policy, access, hasCapabilities }: Setting) {
  return {
    policy: policy === 'rest' ? rest(fileOptions) : jsonApi(fileOptions),
    store,
    blobs: memoryBlobs(),
    docsPage: true,
    security: {
      authentication: [token],
      callerSchema: Caller,
      defaultAccess: access,
      // Cursors hold while a twin is filled anew.
      cursorSecret: 'shared, and too long for anyone to guess it',
    },
    idempotency: true,
    now: () => new Date(timeOfRequests),
    onError: () => undefined,
    capabilities: hasCapabilities ? ('items' as const) : ('none' as const),
  }
}

function prepare(
  router: Router<Caller>,
  models: Models,
  rulesFor: (name: ModelName, symbols: AnySymbols) => ModelRules | undefined,
): void {
  for (const name of modelNames) {
    const prepared = router
      .prepare(models[name])
      .access(((symbols: AnySymbols) => rulesFor(name, symbols) ?? {}) as never)
    if (name === 'talk')
      prepared.itemOperation(
        'search',
        async (context) => ({
          found: await search(router, models, context as ItemContext<object, Search, Caller>),
        }),
        { input: Search, output: z.object({ found: z.string() }) },
      )
  }
}

async function filled(world: World, state: WorldState): Promise<World> {
  const { router, models } = world
  for (const name of loadOrder) {
    const paths = files[name]
    const items = [...state[name].values()].map((item) =>
      Object.fromEntries(
        Object.entries(item).filter(
          ([member, value]) =>
            !paths.includes(member) &&
            value !== undefined &&
            !(hasForeignKeys && relations[name][member]),
        ),
      ),
    )
    await router.load(models[name], items as never)
    for (const item of state[name].values())
      for (const path of paths)
        if (typeof item[path] === 'string')
          await router.loadResource(
            models[name],
            { id: item.id, path },
            { bytes: Buffer.from(item[path]), contentType: 'text/plain' },
          )
  }
  if (!hasForeignKeys) return world
  for (const name of loadOrder)
    for (const item of state[name].values()) {
      const links = Object.entries(item).filter(([member]) => relations[name][member])
      if (links.length > 0)
        await router.items(models[name]).update(item.id, Object.fromEntries(links) as never)
    }
  return world
}

/** Relations lead in circles, so tables with foreign keys get all items before their links. */
const hasForeignKeys = otherStore?.layout === 'tables'

const loadOrder = modelNames
