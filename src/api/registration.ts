import type { ErrorCode } from '../error/catalog.ts'
import type { Mapper, MapperOptions } from '../mapper/mapper.ts'
import { guards } from '../middleware/guards.ts'
import {
  besideRequest,
  checkHooks,
  declarationsBy,
  declarationsOf,
  guardsOf,
  type Hooks,
  hooksOf,
  hooksThrough,
  outcomeGuardsOf,
  relatedHooks,
  requestHooks,
  updateHooks,
  writeGuardsOf,
} from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { describe } from '../model/describe.ts'
import type { ModelDescription, RelationField } from '../model/description.ts'
import type { AnyModel } from '../model/model.ts'
import { isWritable, type Views, viewsOf } from '../model/model-view.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { OtherUpdate, OtherUpdates } from '../pipeline/ask-others.ts'
import { batchEndpoint } from '../pipeline/batch-endpoint.ts'
import { modelEndpoint } from '../pipeline/endpoint.ts'
import type { Parts } from '../pipeline/parts.ts'
import { reachedHooks } from '../pipeline/reached-hooks.ts'
import { alwaysReached, everReached } from '../pipeline/reached-models.ts'
import type { Endpoint } from '../pipeline/route.ts'
import type { Policy } from '../policy/policy.ts'
import type { Declaration, RuleDeclaration } from '../rule/declaration.ts'
import { errorResponse } from '../rule/error-responses.ts'
import { type ItemRules, itemRulesOf } from '../rule/item-rules.ts'
import { listHooks, readHooks } from '../rule/operations.ts'
import type { ModelRule, Rule, Through } from '../rule/rule.ts'
import { refuseShadowed, refuseUnkept } from './check-resources.ts'
import { refuseClashes } from './refuse-clashes.ts'
import { type RegisteredOperation, viewOf } from './view.ts'

/** What is registered for one model, while the router is put together. */
export interface Registration {
  readonly model: AnyModel
  readonly middleware: Middleware[]
  readonly mappers: { readonly mapper: Mapper; readonly options: MapperOptions }[]
  readonly operations: RegisteredOperation[]
}

export interface Assembled {
  readonly models: readonly ModelDescription[]
  readonly endpoints: readonly Endpoint[]
  readonly parts: Parts
}

/** What the options of a router give to its parts; the rest comes from what is registered. */
export type Given = Omit<Parts, 'views' | 'guards' | 'mappers'> & {
  readonly requireMatch: boolean
  /** Where the OpenAPI document is served, below the mount path; undefined where it is not. */
  readonly describedAt: string | undefined
}

/**
 * Links the registered models, lets the policy write their rules, and compiles an endpoint for each.
 * @throws RegistrationError when anything is declared wrongly.
 */
export function assemble(
  policy: Policy,
  given: Given,
  middleware: readonly Middleware[],
  registrations: readonly Registration[],
): Assembled {
  const { requireMatch, describedAt, ...shares } = given
  const models = describe(registrations.map((one) => one.model))
  const registered = new Map(models.map((model, index) => [model, registrations[index]!]))
  const middlewareOf = (model: ModelDescription) => [...middleware, ...registered.get(model)!.middleware]
  for (const model of models) middlewareOf(model).forEach(checkHooks)
  const ofRouter = middleware.map(besideRequest)
  const middlewareBeside = (model: ModelDescription) => [...ofRouter, ...registered.get(model)!.middleware]
  for (const model of models) refuseUnkept(model, given.blobs !== undefined)
  const views = viewsOf(
    models.map((model) => {
      const { mappers, operations } = registered.get(model)!
      return viewOf(
        model,
        mappers.map((one) => one.options),
        operations,
        {
          isGuarded: guardsOf(middlewareOf(model)).length > 0,
          basePath: given.basePath,
          guardsWrites: written(model).some((one) => middlewareOf(one).some(({ query = {} }) => hasHooks(query))),
          requireMatch: requireMatch || model.requireMatch,
        },
      )
    }),
    describedAt,
  )
  const itemRules = new Map<ModelDescription, ItemRules>()
  const parts: Parts = {
    ...shares,
    views,
    guards: guards(
      new Map(models.map((model) => [model, guardsOf(middlewareOf(model))])),
      new Map(models.map((model) => [model, writeGuardsOf(middlewareOf(model))])),
      new Map(models.map((model) => [model, outcomeGuardsOf(middlewareOf(model))])),
      new Set(models.filter((model) => requestHooks(middlewareBeside(model), readHooks).length > 0)),
      itemRules,
    ),
    mappers: new Map(models.map((model) => [model, registered.get(model)!.mappers.map((one) => one.mapper)])),
  }
  const rules = views.all
    .flatMap((view) => policy.rules(view, views, given.limits))
    .map((rule) => personal(parts, rule, middlewareOf))
    .map((rule) =>
      declared(rule, declarationsAround(parts, rule, middlewareOf), guardErrors(views, rule, middlewareOf)),
    )
  for (const model of models) itemRules.set(model, itemRulesOf(rules, model))
  refuseShadowed(rules)
  refuseClashes(rules)
  const endpoints = rules.map((rule) => {
    const hooks = hooksFor(rule, middlewareOf)
    const reached = reachedHooks(parts, rule, hooks.request, { middlewareBeside, itemRules })
    return modelEndpoint(parts, rule, hooks, reached, otherUpdates(rule, itemRules, middlewareBeside))
  })
  const routerRules = policy.routerRules?.(rules, views, given.limits) ?? []
  const shared = routerRules.map((rule) => declared(rule, declarationsOf(rule.operation, middleware)))
  const batches = shared.map((rule) => batchEndpoint(rule, hooksOf(rule.operation, middleware), endpoints))
  return { models, endpoints: [...endpoints, ...batches], parts }
}

/** The models whose items a write to an item of this one changes: where it is the other side of a relation, the items that hold that, too. */
function written(model: ModelDescription): readonly ModelDescription[] {
  return [model, ...model.relations.filter(({ kind }) => kind === 'inverse').map(({ target }) => target)]
}

function hasHooks(query: object): boolean {
  return Object.keys(query).length > 0
}

type MiddlewareOf = (model: ModelDescription) => readonly Middleware[]

function hooksFor({ operation, view, through }: ModelRule, middlewareOf: MiddlewareOf): Hooks {
  const own = middlewareOf(view.model)
  if (!through) return hooksOf(operation, own, view.model)
  return hooksThrough(operation, middlewareOf(through.view.model), own, quantityOf(through))
}

/** What the middleware around a rule says of itself: also that of the models which its requests reach, or may. */
function declarationsAround(
  parts: Pick<Parts, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  middlewareOf: MiddlewareOf,
): readonly RuleDeclaration[] {
  const { operation, view, through } = rule
  const own = (through ?? rule).view.model
  const always = alwaysReached(parts, rule)
  const needed = new Set<RuleDeclaration>([
    ...declarationsOf(operation, middlewareOf(own), own),
    ...[...always].flatMap((model) => {
      const isAnswer = through && model === view.model
      return declarationsBy(middlewareOf(model), isAnswer ? relatedHooks(operation, quantityOf(through)) : readHooks)
    }),
  ])
  const possible = new Set(
    [...everReached(parts, rule)].flatMap((model) => declarationsBy(middlewareOf(model), readHooks)),
  )
  return [...needed, ...[...possible].filter((one) => !needed.has(one)).map(whereReached)]
}

/** What its own guards, and those of items that it changes on the other side of a relation, refuse. */
function guardErrors(views: Views, rule: ModelRule, middlewareOf: MiddlewareOf): readonly ErrorCode[] {
  if (rule.method === 'GET' || rule.operation === 'DeleteItem') return []
  const others = writtenRelations(rule).flatMap(({ kind, target }) => (kind === 'inverse' ? [target] : []))
  const written = [(rule.through ?? rule).view.model, ...others]
  const isHeld = written.some((model) => outcomeGuardsOf(middlewareOf(model)).length > 0)
  const needsMatch = others.some((model) => views.of(model).requireMatch)
  return [...(isHeld ? (['forbidden'] as const) : []), ...(needsMatch ? (['precondition-required'] as const) : [])]
}

/** What hooks may have looked at before a read was answered, nobody knows. */
function personal(
  parts: Pick<Parts, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  middlewareOf: MiddlewareOf,
): ModelRule {
  if (rule.method !== 'GET') return rule
  const { request, query, owner } = hooksFor(rule, middlewareOf)
  const isHooked = (model: ModelDescription) =>
    [...requestHooks(middlewareOf(model), listHooks), ...guardsOf(middlewareOf(model))].length > 0
  const runs = [request, query, owner].some((hooks) => hooks.length > 0) || [...everReached(parts, rule)].some(isHooked)
  if (!runs) return rule
  const headers = { ...rule.response.headers, 'cache-control': 'always' } as const
  return Object.freeze({ ...rule, isPersonal: true, response: { ...rule.response, headers } })
}

/** What it sets on all of its answers is on some of these only. */
function whereReached({ security, errors, responses }: Declaration): RuleDeclaration {
  return {
    ...(security && { security }),
    ...(errors && { errors }),
    ...(responses && { responses }),
    isForSome: true,
  }
}

/** The rule with what was said about it, errors among the others. */
function declared<R extends Rule>(
  rule: R,
  declarations: readonly RuleDeclaration[],
  ofGuards: readonly ErrorCode[] = [],
): R {
  if (declarations.length === 0 && ofGuards.length === 0) return rule
  const known = new Set(rule.errorResponses.map(({ code }) => code))
  const errors = [...ofGuards, ...declarations.flatMap(({ errors = [] }) => errors)]
  const codes = new Set(errors.filter((code) => !known.has(code)))
  const errorResponses = [...rule.errorResponses, ...[...codes].map((code) => errorResponse(code))]
  return Object.freeze<R>({ ...rule, declarations, errorResponses })
}

function quantityOf({ relation }: Through): 'one' | 'many' {
  return relation.kind === 'toOne' ? 'one' : 'many'
}

/** The models that somebody asks about before a request by this rule changes their items, for it writes inverse relations. */
function otherUpdates(
  rule: ModelRule,
  itemRules: ReadonlyMap<ModelDescription, ItemRules>,
  middlewareBeside: MiddlewareOf,
): OtherUpdates {
  const updates = new Map<ModelDescription, OtherUpdate>()
  for (const { kind, target } of writtenRelations(rule)) {
    const hooks = kind === 'inverse' ? updateHooks(middlewareBeside(target)) : []
    if (hooks.length > 0) updates.set(target, { rule: itemRules.get(target)?.update, hooks })
  }
  return updates
}

function writtenRelations({ request, view, through }: ModelRule): readonly RelationField[] {
  if (request.kind === 'none' || request.kind === 'bytes' || request.kind === 'input') return []
  return through ? [through.relation] : view.model.relations.filter((relation) => isWritable(view, relation))
}

/** @throws RegistrationError when it is no model, or registered already. */
export function checkModel(registrations: readonly Registration[], model: AnyModel): void {
  if (typeof model !== 'function' || typeof model.modelName !== 'string')
    throw new RegistrationError('What is prepared is a model: what model() returns, or a class that extends it.')
  if (registrations.some((one) => one.model === model)) {
    throw new RegistrationError(
      `The model '${model.modelName}' is prepared twice; keep what prepare() returned to add to it.`,
    )
  }
}
