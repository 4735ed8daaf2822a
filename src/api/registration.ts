import type { RouterServices } from '../document/router-services.ts'
import type { ErrorCode } from '../error/catalog.ts'
import type { Mapper, MapperOptions } from '../mapper/mapper.ts'
import { createGuards } from '../middleware/guards.ts'
import {
  checkHooks,
  declarationsOf,
  declarationsOfHooks,
  guardsOf,
  type Hooks,
  hooksOf,
  hooksThroughRelation,
  outcomeGuardsOf,
  relatedHooks,
  requestHooks,
  updateHooks,
  withoutAnyRequestHook,
  writeGuardsOf,
} from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { AnyModel } from '../model/declare/model.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import type { ModelDescription, RelationField } from '../model/model-description.ts'
import { createModelViews, isWritable, type ModelViews } from '../model/model-view.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { batchEndpoint } from '../pipeline/batch-endpoint.ts'
import { modelEndpoint } from '../pipeline/model-endpoint.ts'
import { relatedModelHooks } from '../pipeline/related-model-hooks.ts'
import { alwaysRelatedModels, possiblyRelatedModels } from '../pipeline/related-models.ts'
import type { Endpoint } from '../pipeline/request-router.ts'
import type { OtherUpdate, OtherUpdates } from '../pipeline/with-approvals.ts'
import type { Policy } from '../policy/policy.ts'
import type { Declaration, RuleDeclaration } from '../rule/declaration.ts'
import { errorResponse } from '../rule/error-responses.ts'
import { type ItemRules, itemRulesOf } from '../rule/item-rules.ts'
import { listHooks, readHooks } from '../rule/operations.ts'
import {
  type ModelRule,
  pathView,
  type RelationTarget,
  type Rule,
  relationTargetOf,
} from '../rule/rule.ts'
import { checkResourceAddresses, checkResourceSupport } from './check-resources.ts'
import { checkRuleConflicts } from './check-rule-conflicts.ts'
import { createModelView, type RegisteredOperation } from './create-model-view.ts'

/** What is registered for one model, while the router is put together. */
export interface Registration {
  readonly model: AnyModel
  readonly middleware: Middleware[]
  readonly mappers: { readonly mapper: Mapper; readonly options: MapperOptions }[]
  readonly operations: RegisteredOperation[]
}

export interface AssembledRouter {
  readonly models: readonly ModelDescription[]
  readonly endpoints: readonly Endpoint[]
  readonly services: RouterServices
}

/** What the options of a router give to its parts; the rest comes from what is registered. */
export type RouterSettings = Omit<RouterServices, 'views' | 'guards' | 'mappers'> & {
  readonly requireMatch: boolean
  /** Where the OpenAPI document is served, below the mount path; undefined where it is not. */
  readonly documentPath: string | undefined
}

/**
 * Links the registered models, lets the policy write their rules, and compiles an endpoint for
 * each.
 * @throws RegistrationError when anything is declared wrongly.
 */
export function assemble(
  policy: Policy,
  given: RouterSettings,
  middleware: readonly Middleware[],
  registrations: readonly Registration[],
): AssembledRouter {
  const { requireMatch, documentPath, ...shares } = given
  const models = describeModels(registrations.map((one) => one.model))
  const registered = new Map(models.map((model, index) => [model, registrations[index]!]))
  const middlewareOf = (model: ModelDescription) => [
    ...middleware,
    ...registered.get(model)!.middleware,
  ]
  for (const model of models) middlewareOf(model).forEach(checkHooks)
  const ofRouter = middleware.map(withoutAnyRequestHook)
  const middlewareBeside = (model: ModelDescription) => [
    ...ofRouter,
    ...registered.get(model)!.middleware,
  ]
  for (const model of models) checkResourceSupport(model, given.blobs !== undefined)
  const views = createModelViews(
    models.map((model) => {
      const { mappers, operations } = registered.get(model)!
      return createModelView(
        model,
        mappers.map((one) => one.options),
        operations,
        {
          isGuarded: guardsOf(middlewareOf(model)).length > 0,
          basePath: given.basePath,
          hasWriteGuards: writtenModels(model).some((one) =>
            middlewareOf(one).some(({ query = {} }) => hasHooks(query)),
          ),
          requiresIfMatch: requireMatch || model.requiresIfMatch,
        },
      )
    }),
    documentPath,
  )
  const itemRules = new Map<ModelDescription, ItemRules>()
  const parts: RouterServices = {
    ...shares,
    views,
    guards: createGuards(
      new Map(models.map((model) => [model, guardsOf(middlewareOf(model))])),
      new Map(models.map((model) => [model, writeGuardsOf(middlewareOf(model))])),
      new Map(models.map((model) => [model, outcomeGuardsOf(middlewareOf(model))])),
      new Set(
        models.filter((model) => requestHooks(middlewareBeside(model), readHooks).length > 0),
      ),
      itemRules,
    ),
    mappers: new Map(
      models.map((model) => [model, registered.get(model)!.mappers.map((one) => one.mapper)]),
    ),
  }
  const rules = views.all
    .flatMap((view) => policy.rules(view, views, given.limits))
    .map((rule) => withPrivacy(parts, rule, middlewareOf))
    .map((rule) =>
      withDeclarations(
        rule,
        declarationsAround(parts, rule, middlewareOf),
        guardErrors(views, rule, middlewareOf),
      ),
    )
  for (const model of models) itemRules.set(model, itemRulesOf(rules, model))
  checkResourceAddresses(rules)
  checkRuleConflicts(rules)
  const endpoints = rules.map((rule) => {
    const hooks = hooksForRule(rule, middlewareOf)
    const reached = relatedModelHooks(parts, rule, hooks.request, {
      itemMiddleware: middlewareBeside,
      itemRules,
    })
    return modelEndpoint(
      parts,
      rule,
      hooks,
      reached,
      collectOtherUpdates(rule, itemRules, middlewareBeside),
    )
  })
  const routerRules = policy.routerRules?.(rules, views, given.limits) ?? []
  const shared = routerRules.map((rule) =>
    withDeclarations(rule, declarationsOf(rule.operation, middleware)),
  )
  const batches = shared.map((rule) =>
    batchEndpoint(rule, hooksOf(rule.operation, middleware), endpoints),
  )
  return { models, endpoints: [...endpoints, ...batches], services: parts }
}

/**
 * The models whose items a write to an item of this one changes: where it is the other side of a
 * relation, the items that hold that, too.
 */
function writtenModels(model: ModelDescription): readonly ModelDescription[] {
  return [
    model,
    ...model.relations
      .filter(({ kind }) => kind === 'inverse')
      .map(({ relatedModel }) => relatedModel),
  ]
}

function hasHooks(query: object): boolean {
  return Object.keys(query).length > 0
}

type MiddlewareOf = (model: ModelDescription) => readonly Middleware[]

function hooksForRule(rule: ModelRule, middlewareOf: MiddlewareOf): Hooks {
  const { operation, view } = rule
  const own = middlewareOf(view.model)
  const relationTarget = relationTargetOf(rule)
  if (!relationTarget) return hooksOf(operation, own, view.model)
  return hooksThroughRelation(
    operation,
    middlewareOf(relationTarget.owner.model),
    own,
    relationQuantity(relationTarget),
  )
}

/**
 * What the middleware around a rule says of itself: also that of the models which its requests
 * reach, or may.
 */
function declarationsAround(
  parts: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  middlewareOf: MiddlewareOf,
): readonly RuleDeclaration[] {
  const { operation, view } = rule
  const relationTarget = relationTargetOf(rule)
  const own = pathView(rule).model
  const always = alwaysRelatedModels(parts, rule)
  const needed = new Set<RuleDeclaration>([
    ...declarationsOf(operation, middlewareOf(own), own),
    ...[...always].flatMap((model) => {
      const isAnswer = relationTarget && model === view.model
      return declarationsOfHooks(
        middlewareOf(model),
        isAnswer ? relatedHooks(operation, relationQuantity(relationTarget)) : readHooks,
      )
    }),
  ])
  const possible = new Set(
    [...possiblyRelatedModels(parts, rule)].flatMap((model) =>
      declarationsOfHooks(middlewareOf(model), readHooks),
    ),
  )
  return [...needed, ...[...possible].filter((one) => !needed.has(one)).map(toConditional)]
}

/**
 * What its own guards, and those of items that it changes on the other side of a relation, refuse.
 */
function guardErrors(
  views: ModelViews,
  rule: ModelRule,
  middlewareOf: MiddlewareOf,
): readonly ErrorCode[] {
  if (rule.method === 'GET' || rule.operation === 'DeleteItem') return []
  const others = writtenRelations(rule).flatMap(({ kind, relatedModel }) =>
    kind === 'inverse' ? [relatedModel] : [],
  )
  const written = [pathView(rule).model, ...others]
  const isHeld = written.some((model) => outcomeGuardsOf(middlewareOf(model)).length > 0)
  const needsMatch = others.some((model) => views.of(model).requiresIfMatch)
  return [
    ...(isHeld ? (['forbidden'] as const) : []),
    ...(needsMatch ? (['precondition-required'] as const) : []),
  ]
}

/** What hooks may have looked at before a read was answered, nobody knows. */
function withPrivacy(
  parts: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  middlewareOf: MiddlewareOf,
): ModelRule {
  if (rule.method !== 'GET') return rule
  const { request, query, owner } = hooksForRule(rule, middlewareOf)
  const isHooked = (model: ModelDescription) =>
    [...requestHooks(middlewareOf(model), listHooks), ...guardsOf(middlewareOf(model))].length > 0
  const runs =
    [request, query, owner].some((hooks) => hooks.length > 0) ||
    [...possiblyRelatedModels(parts, rule)].some(isHooked)
  if (!runs) return rule
  const headers = { ...rule.response.headers, 'cache-control': 'always' } as const
  return Object.freeze({ ...rule, isPersonal: true, response: { ...rule.response, headers } })
}

/** What it sets on all of its answers is on some of these only. */
function toConditional({ security, errors, responses }: Declaration): RuleDeclaration {
  return {
    ...(security && { security }),
    ...(errors && { errors }),
    ...(responses && { responses }),
    isConditional: true,
  }
}

/** The rule with what was said about it, errors among the others. */
function withDeclarations<R extends Rule>(
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

function relationQuantity({ relation }: RelationTarget): 'one' | 'many' {
  return relation.kind === 'toOne' ? 'one' : 'many'
}

/**
 * The models that somebody asks about before a request by this rule changes their items, for it
 * writes inverse relations.
 */
function collectOtherUpdates(
  rule: ModelRule,
  itemRules: ReadonlyMap<ModelDescription, ItemRules>,
  middlewareBeside: MiddlewareOf,
): OtherUpdates {
  const updates = new Map<ModelDescription, OtherUpdate>()
  for (const { kind, relatedModel } of writtenRelations(rule)) {
    const hooks = kind === 'inverse' ? updateHooks(middlewareBeside(relatedModel)) : []
    if (hooks.length > 0)
      updates.set(relatedModel, { rule: itemRules.get(relatedModel)?.update, hooks })
  }
  return updates
}

function writtenRelations(rule: ModelRule): readonly RelationField[] {
  const { request, view } = rule
  const relationTarget = relationTargetOf(rule)
  if (request.kind === 'none' || request.kind === 'bytes' || request.kind === 'input') return []
  return relationTarget
    ? [relationTarget.relation]
    : view.model.relations.filter((relation) => isWritable(view, relation))
}

/** @throws RegistrationError when it is no model, or registered already. */
export function checkModel(registrations: readonly Registration[], model: AnyModel): void {
  if (typeof model !== 'function' || typeof model.modelName !== 'string')
    throw new RegistrationError(
      'What is prepared is a model: what model() returns, or a class that extends it.',
    )
  if (registrations.some((one) => one.model === model)) {
    throw new RegistrationError(
      `The model '${model.modelName}' is prepared twice; keep what prepare() returned to add to it.`,
    )
  }
}
