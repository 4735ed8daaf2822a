import type { FieldDescription, ModelDescription } from '../model/model-description.ts'
import { type AccessDecision, decisionOf } from './access-decision.ts'
import type { AccessExpression, AccessRules } from './access-rules.ts'

/** When a field of a model can be read and written. */
export interface FieldDecisions {
  readonly field: FieldDescription
  readonly read: AccessDecision
  readonly write: AccessDecision
}

/** The access rules of a model in one router, by what they depend on. */
export interface ModelAccess {
  readonly model: ModelDescription
  readonly read: AccessDecision
  readonly create: AccessDecision
  readonly update: AccessDecision
  readonly delete: AccessDecision
  /** Of the versions of an item that the caller may read. */
  readonly readVersions: AccessDecision
  readonly restoreVersion: AccessDecision
  /** Of the items in the trash that the caller might read. */
  readonly readTrash: AccessDecision
  readonly restore: AccessDecision
  readonly purge: AccessDecision
  /** By the name of the action. */
  action(name: string): AccessDecision
  readonly allActions: readonly AccessDecision[]
  /** The fields with rules of their own. */
  readonly fields: readonly FieldDecisions[]
}

/**
 * @param rules checked; undefined where the model has none
 * @param isClosed whether what no rule allows is refused
 */
export function modelAccess(
  model: ModelDescription,
  rules: AccessRules | undefined,
  isClosed: boolean,
): ModelAccess {
  const byDefault: AccessExpression = { kind: isClosed ? 'nobody' : 'anyone' }
  const decide = (expression: AccessExpression | undefined) => decisionOf(expression ?? byDefault)
  const actions = new Map(
    Object.entries(rules?.actions ?? {}).map(([name, expression]) => [
      name,
      decisionOf(expression),
    ]),
  )
  const otherActions = decide(undefined)
  const create = decide(rules?.create)
  const update = decide(rules?.update)
  const deletion = decide(rules?.delete)
  const decideOr = (expression: AccessExpression | undefined, other: AccessDecision) =>
    expression ? decisionOf(expression) : other
  return Object.freeze({
    model,
    read: decide(rules?.read),
    create,
    update,
    delete: deletion,
    readVersions: decisionOf(rules?.readVersions ?? anyone),
    restoreVersion: decideOr(rules?.restoreVersion, update),
    readTrash: decideOr(rules?.readTrash, deletion),
    restore: decideOr(rules?.restore, create),
    purge: decideOr(rules?.purge, deletion),
    action: (name: string) => actions.get(name) ?? otherActions,
    allActions: [...actions.values(), otherActions],
    fields: Object.entries(rules?.fields ?? {}).map(([name, { read = anyone, write = read }]) => ({
      field: model.fieldsByName.get(name)!,
      read: decisionOf(read),
      write: decisionOf(write),
    })),
  })
}

const anyone: AccessExpression = Object.freeze({ kind: 'anyone' })
