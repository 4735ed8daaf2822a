import { issuedKey } from '../authentication/issue-api-key.ts'
import type { RouterServices } from '../document/router-services.ts'
import type { ErrorCode } from '../error/catalog.ts'
import { headerCase } from '../http/headers/header-case.ts'
import { declarationsOf } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { errorResponse } from '../pipeline/error-response.ts'
import { batchErrorResponses, errorResponses } from '../pipeline/error-responses.ts'
import type { RuleDeclaration } from '../rule/declaration.ts'
import { operations } from '../rule/operations.ts'
import { withOwnParameters } from '../rule/own-parameters.ts'
import { refusesRelationChange } from '../rule/refused-relation-change.ts'
import type { BaseResponseShape, ErrorResponse, ResponseShape } from '../rule/response-shape.ts'
import {
  type BatchRule,
  type ModelRule,
  type PolicyBatchRule,
  type PolicyRule,
  pathView,
} from '../rule/rule.ts'
import {
  batchKeyUse,
  idempotencyErrors,
  idempotencyKeyUse,
  mayHideCreated,
} from './idempotent-rules.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { isClosedToAll, isClosedToAnonymous, ruleDecisions } from './rule-access.ts'
import { ruleAccessWords } from './rule-access-words.ts'
import { declarationsAround } from './rule-declarations.ts'
import { isRulePersonal } from './rule-privacy.ts'

/** Adds to the rule of a policy what operations and middleware say about it. */
export function completeRule(
  services: Pick<
    RouterServices,
    | 'guards'
    | 'mappers'
    | 'store'
    | 'views'
    | 'writeHooks'
    | 'features'
    | 'authentication'
    | 'idempotency'
    | 'cors'
  >,
  policyRule: PolicyRule,
  middleware: MiddlewareByModel,
): ModelRule {
  const declarations = [
    ...declarationsAround(services, policyRule, middleware),
    ...serviceDeclarations(services),
  ]
  const parameters = withOwnParameters(policyRule.parameters, declarations)
  const rule: PolicyRule = { ...policyRule, parameters }
  const isPersonal = isRulePersonal(services, rule, middleware)
  const readsReplicas = services.store.facts?.writePositions !== undefined
  const vary = isPersonal ? varyOf(services) : 'Accept'
  const response = isPersonal ? withCacheControl(rule.response, vary) : rule.response
  const hasPosition = readsReplicas && operations[rule.operation].changesItems
  const isRefusedRelationChange = refusesRelationChange(rule)
  const decisions = ruleDecisions(services, rule)
  const idempotencyKey =
    isRefusedRelationChange || issuesApiKey(rule)
      ? undefined
      : idempotencyKeyUse(services.idempotency, rule.operation, pathView(rule).model)
  const completeResponse = (shape: ResponseShape): ResponseShape => {
    const positioned = hasPosition ? withPosition(shape) : shape
    return idempotencyKey ? withReplayed(positioned) : positioned
  }
  return Object.freeze({
    ...rule,
    response: completeResponse(response),
    otherResponses: rule.otherResponses.map(completeResponse),
    idempotencyKey,
    isPersonal,
    isAlwaysRefused: isRefusedRelationChange || isClosedToAll(decisions),
    refusesAnonymous: isClosedToAnonymous(decisions),
    accessWords: ruleAccessWords(services, rule),
    vary,
    readsReplicas,
    declarations,
    errorResponses: withDeclared(
      errorResponses(rule, services),
      declarations,
      idempotencyErrors(
        idempotencyKey,
        mayHideCreated(services, rule.operation, pathView(rule).model),
      ),
    ),
  })
}

/** Its response is the whole key, which must not be kept for repetitions. */
function issuesApiKey({ target }: PolicyRule): boolean {
  return target.kind === 'action' && target.action.output?.schema === issuedKey
}

function withCacheControl(response: ResponseShape, vary: string): ResponseShape {
  // Every document has `Vary`; a file has it if it depends on the caller.
  const isFile = response.content === 'resource' && vary !== 'Accept'
  return {
    ...response,
    headers: {
      ...response.headers,
      'cache-control': 'always',
      ...(isFile && { vary: 'always' as const }),
    },
  }
}

/** Requests that change nothing have no position, and it cannot always be read. */
function withPosition<Shape extends BaseResponseShape>(response: Shape): Shape {
  return { ...response, headers: { ...response.headers, 'resourcery-position': 'sometimes' } }
}

/**
 * Adds to a batch the errors of its operations, and the declarations of the router's middleware.
 */
export function completeBatchRule(
  services: Pick<
    RouterServices,
    'guards' | 'store' | 'views' | 'features' | 'authentication' | 'idempotency' | 'cors'
  >,
  policyRule: PolicyBatchRule,
  middleware: readonly Middleware[],
): BatchRule {
  const declarations = [
    ...declarationsOf(policyRule.operation, middleware),
    ...serviceDeclarations(services),
  ]
  const parameters = withOwnParameters(policyRule.parameters, declarations)
  const rule: PolicyBatchRule = { ...policyRule, parameters }
  const idempotencyKey = batchKeyUse(services.idempotency, rule.request.rules)
  const errors = withDeclared(
    batchErrorResponses(rule),
    declarations,
    idempotencyErrors(idempotencyKey, mayHideCreated(services, rule.operation)),
  )
  const readsReplicas = services.store.facts?.writePositions !== undefined
  const response = readsReplicas ? withPosition(rule.response) : rule.response
  return Object.freeze({
    ...rule,
    response: idempotencyKey ? withReplayed(response) : response,
    idempotencyKey,
    declarations,
    errorResponses: errors,
    isPersonal: false,
    isAlwaysRefused: rule.request.rules.every(({ isAlwaysRefused }) => isAlwaysRefused),
    refusesAnonymous: rule.request.rules.every(({ refusesAnonymous }) => refusesAnonymous),
    accessWords: undefined,
    vary: 'Accept',
    readsReplicas,
  })
}

/** What the options of the router add to every rule. */
function serviceDeclarations({
  features,
  authentication,
  cors,
}: Pick<RouterServices, 'features' | 'authentication' | 'cors'>): readonly RuleDeclaration[] {
  return [
    ...(authentication ? [authentication.declaration] : []),
    ...features.map(({ declaration }) => declaration),
    ...(cors ? [corsDeclaration] : []),
  ]
}

/** Caches of one caller must not answer requests of another one (RFC 9110 §12.5.5). */
export function varyOf({ authentication }: Pick<RouterServices, 'authentication'>): string {
  const names = (authentication?.headers ?? []).map(headerCase)
  return ['Accept', ...names].join(', ')
}

/** Only responses to repetitions have it. */
function withReplayed<Shape extends BaseResponseShape>(response: Shape): Shape {
  return { ...response, headers: { ...response.headers, 'idempotency-replayed': 'sometimes' } }
}

const corsDeclaration: RuleDeclaration = Object.freeze({
  headers: Object.freeze({
    'Access-Control-Allow-Origin': 'The origin whose pages may read the response (Fetch Standard).',
    'Access-Control-Allow-Credentials': 'Pages may send credentials of the browser, if `true`.',
    'Access-Control-Expose-Headers': 'The headers of the response that pages may read.',
  }),
})

/** The errors, and those that declarations and the router add. */
function withDeclared(
  errors: readonly ErrorResponse[],
  declarations: readonly RuleDeclaration[],
  others: readonly ErrorCode[],
): readonly ErrorResponse[] {
  const documented = new Set(errors.map(({ code }) => code))
  const declared = new Set([...others, ...declarations.flatMap(({ errors = [] }) => errors)])
  return [
    ...errors,
    ...[...declared].filter((code) => !documented.has(code)).map((code) => errorResponse(code)),
  ]
}
