import type { Feature, RulePart } from '../feature/feature.ts'
import { headerCase } from '../http/headers/header-case.ts'
import { declarationsOf } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { errorResponse } from '../pipeline/error-response.ts'
import {
  batchErrorResponses,
  errorResponses,
  feedErrorResponses,
} from '../pipeline/error-responses.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import type { RuleDeclaration } from '../rule/declaration.ts'
import { withOwnParameters } from '../rule/own-parameters.ts'
import { refusesRelationChange } from '../rule/refused-relation-change.ts'
import type { ErrorResponse, ResponseShape } from '../rule/response-shape.ts'
import type {
  BatchRule,
  FeedRule,
  ModelRule,
  PolicyBatchRule,
  PolicyFeedRule,
  PolicyRouterRule,
  PolicyRule,
  RegisteredRuleParts,
} from '../rule/rule.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { isClosedToAll, isClosedToAnonymous, ruleDecisions } from './rule-access.ts'
import { ruleAccessWords } from './rule-access-words.ts'
import { declarationsAround, toConditional } from './rule-declarations.ts'
import { isRulePersonal } from './rule-privacy.ts'

/** Adds to the rule of a policy what operations, middleware and features say about it. */
export function completeRule(
  services: RouterServices,
  features: readonly Feature[],
  policyRule: PolicyRule,
  middleware: MiddlewareByModel,
): ModelRule {
  const parts = partsOf(features, policyRule, services)
  const declarations = [
    ...declarationsAround(services, policyRule, middleware),
    ...serviceDeclarations(services, parts),
  ]
  const parameters = withOwnParameters(policyRule.parameters, declarations)
  // A copy of a frozen object takes as long as all of the rest.
  const rule: PolicyRule =
    parameters === policyRule.parameters ? policyRule : { ...policyRule, parameters }
  const isPersonal = isRulePersonal(services, rule, middleware)
  const vary = isPersonal ? varyOf(services) : 'Accept'
  const response = isPersonal ? withCacheControl(rule.response, vary) : rule.response
  const decisions = ruleDecisions(services, rule)
  return Object.freeze({
    ...rule,
    ...membersOf(parts),
    response,
    otherResponses: otherResponsesOf(rule, parts),
    isPersonal,
    isAlwaysRefused: refusesRelationChange(rule) || isClosedToAll(decisions),
    refusesAnonymous: isClosedToAnonymous(decisions),
    accessWords: ruleAccessWords(services, rule),
    vary,
    declarations,
    errorResponses: withDeclared(errorResponses(rule, services), declarations),
  })
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

/**
 * Adds to a batch the errors of its operations, and what features and the middleware of the router
 * say about it.
 */
export function completeBatchRule(
  services: RouterServices,
  features: readonly Feature[],
  policyRule: PolicyBatchRule,
  middleware: readonly Middleware[],
): BatchRule {
  const parts = partsOf(features, policyRule, services)
  const declarations = [
    ...declarationsOf(policyRule.operation, middleware),
    ...serviceDeclarations(services, parts),
  ]
  const parameters = withOwnParameters(policyRule.parameters, declarations)
  const rule: PolicyBatchRule = { ...policyRule, parameters }
  return Object.freeze({
    ...rule,
    ...membersOf(parts),
    declarations,
    errorResponses: withDeclared(batchErrorResponses(rule), declarations),
    isPersonal: false,
    isAlwaysRefused: rule.request.rules.every(({ isAlwaysRefused }) => isAlwaysRefused),
    refusesAnonymous: rule.request.rules.every(({ refusesAnonymous }) => refusesAnonymous),
    accessWords: undefined,
    vary: 'Accept',
  })
}

/** Adds to a feed what holds for its lists, and what features say about it. */
export function completeFeedRule(
  services: RouterServices,
  features: readonly Feature[],
  policyRule: PolicyFeedRule,
  middleware: readonly Middleware[],
): FeedRule {
  const { rules } = policyRule
  const parts = partsOf(features, policyRule, services)
  const own = new Set<RuleDeclaration>([
    ...declarationsOf(policyRule.operation, middleware),
    ...serviceDeclarations(services, parts),
  ])
  const ofLists = new Set(rules.flatMap(({ declarations }) => declarations))
  const declarations = [
    ...own,
    ...[...ofLists].filter((declaration) => !own.has(declaration)).map(toConditional),
  ]
  const parameters = withOwnParameters(policyRule.parameters, declarations)
  const vary = varyOf(services)
  const rule: PolicyFeedRule = { ...policyRule, parameters }
  return Object.freeze({
    ...rule,
    ...membersOf(parts),
    response: withCacheControl(rule.response, vary),
    declarations,
    errorResponses: withDeclared(feedErrorResponses(rule), declarations),
    isPersonal: true,
    isAlwaysRefused: rules.every(({ isAlwaysRefused }) => isAlwaysRefused),
    refusesAnonymous: rules.every(({ refusesAnonymous }) => refusesAnonymous),
    accessWords: undefined,
    vary,
  })
}

function partsOf(
  features: readonly Feature[],
  rule: PolicyRule | PolicyRouterRule,
  services: RouterServices,
): readonly RulePart[] {
  return features.flatMap((feature) => feature.completes?.(rule, services) ?? [])
}

function otherResponsesOf(
  { otherResponses }: Pick<PolicyRule, 'otherResponses'>,
  parts: readonly RulePart[],
): readonly ResponseShape[] {
  const added = parts.flatMap((part) => part.otherResponses ?? [])
  return added.length === 0 ? otherResponses : [...otherResponses, ...added]
}

function membersOf(parts: readonly RulePart[]): RegisteredRuleParts {
  return Object.assign({}, ...parts.map(({ members }) => members))
}

/** What the options of the router add to every rule. */
function serviceDeclarations(
  { authentication }: Pick<RouterServices, 'authentication'>,
  parts: readonly RulePart[],
): readonly RuleDeclaration[] {
  return [
    ...(authentication ? [authentication.declaration] : []),
    ...parts.map(({ declaration }) => declaration),
  ]
}

/** Caches of one caller must not answer requests of another one (RFC 9110 §12.5.5). */
export function varyOf({ authentication }: Pick<RouterServices, 'authentication'>): string {
  const names = (authentication?.headers ?? []).map(headerCase)
  return ['Accept', ...names].join(', ')
}

/** The errors, and those that declarations add. */
function withDeclared(
  errors: readonly ErrorResponse[],
  declarations: readonly RuleDeclaration[],
): readonly ErrorResponse[] {
  const documented = new Set(errors.map(({ code }) => code))
  const declared = new Set(declarations.flatMap(({ errors = [] }) => errors))
  return [
    ...errors,
    ...[...declared].filter((code) => !documented.has(code)).map((code) => errorResponse(code)),
  ]
}
