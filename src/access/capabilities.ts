import type { ActionDescription } from '../model/action-description.ts'
import { immutableItems } from '../model/immutable-items.ts'
import type { FieldDescription, ModelDescription } from '../model/model-description.ts'
import { isReadable, isWritable, type ModelView, settableFields } from '../model/model-view.ts'
import { allOf, andAlso, anyOf, negate } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import type { AccessContext } from './access-context.ts'
import type { AccessDecision } from './access-decision.ts'
import { conditionOf } from './field-guards.ts'
import type { ModelAccess } from './model-access.ts'

/** Whether a caller may do something: with every item, with some items, or with none. */
type Capability = 'always' | 'sometimes' | 'never'

/** What a caller may do with versions, if the model keeps them. */
type HistoryOperation = 'readVersions' | 'restoreVersion'

/** What a caller may do with the trash, if the model has one. */
type TrashOperation = 'readTrash' | 'restore' | 'purge'

/** What a caller may do with the items of a model, as the access rules say. */
export interface ModelCapabilities {
  readonly operations: Readonly<
    Record<'read' | 'create' | 'update' | 'delete', Capability> &
      Partial<Record<HistoryOperation | TrashOperation, Capability>>
  >
  /** By the name of the action. */
  readonly actions: Readonly<Record<string, Capability>>
  /** The fields that exist for the caller, by wire name. */
  readonly fields: Readonly<Record<string, FieldCapabilities>>
}

interface FieldCapabilities {
  readonly read: Capability
  readonly write: Capability
}

/** What items must satisfy for a caller to do something with them. */
export interface ItemConditions {
  readonly update: Condition
  readonly delete: Condition
  /** None where the model keeps no versions. */
  readonly versions: Readonly<Partial<Record<HistoryOperation, Condition>>>
  readonly actions: Readonly<Record<string, Condition>>
}

/** @param access undefined where the model has no rules */
export function modelCapabilities(
  access: ModelAccess | undefined,
  view: ModelView,
  context: AccessContext,
): ModelCapabilities {
  const { model } = view
  const capability = (decision: AccessDecision | undefined) =>
    capabilityOf(conditionOf(decision, model, context), decision)
  const ofWrite = (decision: AccessDecision | undefined) =>
    model.isReadOnly ? 'never' : capability(decision)
  const ofImmutable = (found: Capability) => {
    if (!model.immutability || found === 'never') return found
    return model.immutability.where.length === 0 ? 'never' : 'sometimes'
  }
  const ofChange = (decision: AccessDecision | undefined) => ofImmutable(ofWrite(decision))
  const exceptions = changeableExceptions(access, view, context)
  const ofUpdate = () => {
    const found = ofWrite(access?.update)
    if (exceptions.length === 0 || found === 'never') return ofChange(access?.update)
    return 'sometimes'
  }
  const create = ofWrite(access?.create)
  const update = ofUpdate()
  const isWritten = create !== 'never' || update !== 'never'
  const settable = new Set<FieldDescription>(settableFields(view))
  return {
    operations: {
      read: capability(access?.read),
      create,
      update,
      delete: ofChange(access?.delete),
      ...keptCapabilities(access, view, context, ofImmutable),
    },
    actions: Object.fromEntries(
      view.actions.map((action) => {
        const decision = access?.action(action.name)
        return [
          action.name,
          isChangeOf(model, action) ? ofImmutable(capability(decision)) : capability(decision),
        ]
      }),
    ),
    fields: Object.fromEntries(
      view.model.fields
        .filter((field) => isReadable(view, field) || isWritable(view, field))
        .map((field) => {
          const rules = access?.fields.find((decisions) => decisions.field === field)
          return [
            field.wireName,
            {
              read: isReadable(view, field) ? capability(rules?.read) : 'never',
              write:
                isWritten && (settable.has(field) || isUploadable(field))
                  ? untilImmutable(model, field, ofWrite(rules?.write))
                  : 'never',
            },
          ]
        }),
    ),
  }
}

/** Each of them needs what reading versions, or the trash, needs. */
function keptCapabilities(
  access: ModelAccess | undefined,
  { model }: ModelView,
  context: AccessContext,
  ofImmutable: (found: Capability) => Capability,
): Partial<Record<HistoryOperation | TrashOperation, Capability>> {
  const capability = (reading: AccessDecision | undefined, decision = reading) =>
    capabilityOf(
      andAlso(conditionOf(reading, model, context), conditionOf(decision, model, context)),
      decision,
    )
  return {
    ...(model.history && {
      readVersions: capability(access?.readVersions),
      restoreVersion: ofImmutable(capability(access?.readVersions, access?.restoreVersion)),
    }),
    ...(model.trash && {
      readTrash: capability(access?.readTrash),
      restore: capability(access?.readTrash, access?.restore),
      purge: capability(access?.readTrash, access?.purge),
    }),
  }
}

/** A field that immutable items keep can be set until they are. */
function untilImmutable(
  { immutability }: ModelDescription,
  { name }: FieldDescription,
  capability: Capability,
): Capability {
  return immutability && !immutability.exceptions.has(name) && capability === 'always'
    ? 'sometimes'
    : capability
}

/** For each field that callers can set in immutable items too, the items in which they can. */
function changeableExceptions(
  access: ModelAccess | undefined,
  view: ModelView,
  context: AccessContext,
): readonly Condition[] {
  const { immutability, resourceFields } = view.model
  if (!immutability) return []
  return [...settableFields(view), ...resourceFields.filter(isUploadable)]
    .filter(({ name }) => immutability.exceptions.has(name))
    .map((field) =>
      conditionOf(
        access?.fields.find((decisions) => decisions.field === field)?.write,
        view.model,
        context,
      ),
    )
    .filter(({ kind }) => kind !== 'never')
}

function isUploadable(field: FieldDescription): boolean {
  return field.kind === 'resource' && field.visibility === 'visible'
}

/**
 * Does the action have no use but to change what immutable items keep? An action with an output may
 * only read the item, and one of a model with exceptions may change nothing but these.
 */
function isChangeOf({ immutability }: ModelDescription, { output }: ActionDescription): boolean {
  return output === undefined && immutability?.exceptions.size === 0
}

/** What an item must satisfy for each change. Excepted fields of immutable items can change. */
export function itemConditions(
  access: ModelAccess | undefined,
  view: ModelView,
  context: AccessContext,
): ItemConditions {
  const condition = (decision: AccessDecision | undefined) =>
    conditionOf(decision, view.model, context)
  const changeable = negate(immutableItems(view.model))
  const somewhatChangeable = anyOf([changeable, ...changeableExceptions(access, view, context)])
  return {
    update: andAlso(somewhatChangeable, condition(access?.update)),
    delete: andAlso(changeable, condition(access?.delete)),
    versions: view.model.history
      ? {
          readVersions: condition(access?.readVersions),
          restoreVersion: allOf([
            somewhatChangeable,
            condition(access?.readVersions),
            condition(access?.restoreVersion),
          ]),
        }
      : {},
    actions: Object.fromEntries(
      view.actions.map((action) => {
        const allowed = condition(access?.action(action.name))
        return [
          action.name,
          isChangeOf(view.model, action) ? andAlso(changeable, allowed) : allowed,
        ]
      }),
    ),
  }
}

function capabilityOf({ kind }: Condition, decision: AccessDecision | undefined): Capability {
  // Whether a change is allowed depends on the change too.
  if (kind === 'always' && decision?.kind === 'change') return 'sometimes'
  return kind === 'always' || kind === 'never' ? kind : 'sometimes'
}
