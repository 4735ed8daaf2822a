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

/** Everything that is registered for one model. */
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

/** The services that depend on the options of the router only. */
export type RouterSettings = Omit<RouterServices, 'views' | 'guards' | 'mappers'> & {
  readonly requireMatch: boolean
  /** The path of the OpenAPI document below the base path; undefined if it is not served. */
  readonly documentPath: string | undefined
}

/**
 * Describes the registered models, lets the policy make their rules, and compiles an endpoint for
 * each rule.
 * @throws RegistrationError
 */
export function assemble(
  policy: Policy,
  settings: RouterSettings,
  middleware: readonly Middleware[],
  registrations: readonly Registration[],
): AssembledRouter {
  const { requireMatch, documentPath, ...routerServices } = settings
  const models = describeModels(registrations.map(({ model }) => model))
  const registered = new Map(models.map((model, index) => [model, registrations[index]!]))
  const middlewareOf = (model: ModelDescription) => [
    ...middleware,
    ...registered.get(model)!.middleware,
  ]
  for (const model of models) middlewareOf(model).forEach(checkHooks)
  const routerMiddleware = middleware.map(withoutAnyRequestHook)
  const relatedMiddlewareOf = (model: ModelDescription) => [
    ...routerMiddleware,
    ...registered.get(model)!.middleware,
  ]
  for (const model of models) checkResourceSupport(model, settings.blobs !== undefined)
  const views = createModelViews(
    models.map((model) => {
      const { mappers, operations } = registered.get(model)!
      return createModelView(
        model,
        mappers.map(({ options }) => options),
        operations,
        {
          isGuarded: guardsOf(middlewareOf(model)).length > 0,
          basePath: settings.basePath,
          hasWriteGuards: writtenModels(model).some((written) =>
            middlewareOf(written).some(({ query = {} }) => hasHooks(query)),
          ),
          requiresIfMatch: requireMatch || model.requiresIfMatch,
        },
      )
    }),
    documentPath,
  )
  const itemRules = new Map<ModelDescription, ItemRules>()
  const services: RouterServices = {
    ...routerServices,
    views,
    guards: createGuards(
      new Map(models.map((model) => [model, guardsOf(middlewareOf(model))])),
      new Map(models.map((model) => [model, writeGuardsOf(middlewareOf(model))])),
      new Map(models.map((model) => [model, outcomeGuardsOf(middlewareOf(model))])),
      new Set(
        models.filter((model) => requestHooks(relatedMiddlewareOf(model), readHooks).length > 0),
      ),
      itemRules,
    ),
    mappers: new Map(
      models.map((model) => [model, registered.get(model)!.mappers.map(({ mapper }) => mapper)]),
    ),
  }
  const rules = views.all
    .flatMap((view) => policy.rules(view, views, settings.limits))
    .map((rule) => withPrivacy(services, rule, middlewareOf))
    .map((rule) =>
      withDeclarations(
        rule,
        declarationsAround(services, rule, middlewareOf),
        guardErrors(views, rule, middlewareOf),
      ),
    )
  for (const model of models) itemRules.set(model, itemRulesOf(rules, model))
  checkResourceAddresses(rules)
  checkRuleConflicts(rules)
  const endpoints = rules.map((rule) => {
    const hooks = hooksForRule(rule, middlewareOf)
    const relatedHooksOf = relatedModelHooks(services, rule, hooks.request, {
      itemMiddleware: relatedMiddlewareOf,
      itemRules,
    })
    return modelEndpoint(
      services,
      rule,
      hooks,
      relatedHooksOf,
      collectOtherUpdates(rule, itemRules, relatedMiddlewareOf),
    )
  })
  const routerRules = policy.routerRules?.(rules, views, settings.limits) ?? []
  const batches = routerRules
    .map((rule) => withDeclarations(rule, declarationsOf(rule.operation, middleware)))
    .map((rule) => batchEndpoint(rule, hooksOf(rule.operation, middleware), endpoints))
  return { models, endpoints: [...endpoints, ...batches], services }
}

/** The models that a write to this model can change: itself, and owners of its inverse relations. */
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

/** The declarations of all middleware that runs for a rule, or may run for related models. */
function declarationsAround(
  services: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  middlewareOf: MiddlewareOf,
): readonly RuleDeclaration[] {
  const { operation, view } = rule
  const relationTarget = relationTargetOf(rule)
  const own = pathView(rule).model
  const unconditional = new Set<RuleDeclaration>([
    ...declarationsOf(operation, middlewareOf(own), own),
    ...[...alwaysRelatedModels(services, rule)].flatMap((model) => {
      const isPrimaryData = relationTarget && model === view.model
      return declarationsOfHooks(
        middlewareOf(model),
        isPrimaryData ? relatedHooks(operation, relationQuantity(relationTarget)) : readHooks,
      )
    }),
  ])
  const conditional = new Set(
    [...possiblyRelatedModels(services, rule)].flatMap((model) =>
      declarationsOfHooks(middlewareOf(model), readHooks),
    ),
  )
  return [
    ...unconditional,
    ...[...conditional].filter((declaration) => !unconditional.has(declaration)).map(toConditional),
  ]
}

/** The errors of its own guards, and of the guards of models whose relations it writes. */
function guardErrors(
  views: ModelViews,
  rule: ModelRule,
  middlewareOf: MiddlewareOf,
): readonly ErrorCode[] {
  if (rule.method === 'GET' || rule.operation === 'DeleteItem') return []
  const ownerModels = writtenRelations(rule).flatMap(({ kind, relatedModel }) =>
    kind === 'inverse' ? [relatedModel] : [],
  )
  const writtenModels = [pathView(rule).model, ...ownerModels]
  const hasOutcomeGuards = writtenModels.some(
    (model) => outcomeGuardsOf(middlewareOf(model)).length > 0,
  )
  const requiresIfMatch = ownerModels.some((model) => views.of(model).requiresIfMatch)
  return [
    ...(hasOutcomeGuards ? (['forbidden'] as const) : []),
    ...(requiresIfMatch ? (['precondition-required'] as const) : []),
  ]
}

/** Marks reads with hooks as personal: the response may depend on anything the hooks read. */
function withPrivacy(
  services: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  middlewareOf: MiddlewareOf,
): ModelRule {
  if (rule.method !== 'GET') return rule
  const { request, query, owner } = hooksForRule(rule, middlewareOf)
  const hasModelHooks = (model: ModelDescription) =>
    [...requestHooks(middlewareOf(model), listHooks), ...guardsOf(middlewareOf(model))].length > 0
  const isPersonal =
    [request, query, owner].some((hooks) => hooks.length > 0) ||
    [...possiblyRelatedModels(services, rule)].some(hasModelHooks)
  if (!isPersonal) return rule
  const headers = { ...rule.response.headers, 'cache-control': 'always' } as const
  return Object.freeze({ ...rule, isPersonal: true, response: { ...rule.response, headers } })
}

/** Without headers: only some responses of the rule have them. */
function toConditional({ security, errors, responses }: Declaration): RuleDeclaration {
  return {
    ...(security && { security }),
    ...(errors && { errors }),
    ...(responses && { responses }),
    isConditional: true,
  }
}

/** The rule with declarations, and with the errors of declarations and guards. */
function withDeclarations<R extends Rule>(
  rule: R,
  declarations: readonly RuleDeclaration[],
  guardErrors: readonly ErrorCode[] = [],
): R {
  if (declarations.length === 0 && guardErrors.length === 0) return rule
  const documented = new Set(rule.errorResponses.map(({ code }) => code))
  const errors = [...guardErrors, ...declarations.flatMap(({ errors = [] }) => errors)]
  const codes = new Set(errors.filter((code) => !documented.has(code)))
  const errorResponses = [...rule.errorResponses, ...[...codes].map((code) => errorResponse(code))]
  return Object.freeze<R>({ ...rule, declarations, errorResponses })
}

function relationQuantity({ relation }: RelationTarget): 'one' | 'many' {
  return relation.kind === 'toOne' ? 'one' : 'many'
}

/** The update hooks of other models that run because the rule writes inverse relations. */
function collectOtherUpdates(
  rule: ModelRule,
  itemRules: ReadonlyMap<ModelDescription, ItemRules>,
  relatedMiddlewareOf: MiddlewareOf,
): OtherUpdates {
  const updates = new Map<ModelDescription, OtherUpdate>()
  for (const { kind, relatedModel } of writtenRelations(rule)) {
    const hooks = kind === 'inverse' ? updateHooks(relatedMiddlewareOf(relatedModel)) : []
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

/** @throws RegistrationError if it is not a model, or already registered */
export function checkModel(registrations: readonly Registration[], model: AnyModel): void {
  if (typeof model !== 'function' || typeof model.modelName !== 'string')
    throw new RegistrationError(
      'prepare() expects a model: the result of model(), or a class that extends it.',
    )
  if (registrations.some((registration) => registration.model === model)) {
    throw new RegistrationError(
      `The model '${model.modelName}' is prepared twice; reuse the object that prepare() returned.`,
    )
  }
}
