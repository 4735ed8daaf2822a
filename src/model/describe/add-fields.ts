import { isRollup } from '../made-of-rollup.ts'
import type {
  CodedField,
  Draft,
  FieldDescription,
  HashField,
  ModelDescription,
  OwnedRelation,
  TimestampField,
  ToOneField,
  ValueField,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isRelation } from '../relation-kinds.ts'
import type { ResourceField } from '../resource-field.ts'
import { describeDerived } from './describe-derived.ts'
import type { FieldDescriber } from './describe-fields.ts'
import { describeImmutability } from './describe-immutability.ts'
import { describeIndexes } from './describe-indexes.ts'
import { resourcePathsOf } from './describe-resource.ts'
import { refuseSharedColumns } from './describe-storage.ts'
import type { RegistrationFaults } from './registration-faults.ts'
import { type RouterAdditions, uniqueRangesOf, uniqueSetsOf } from './router-additions.ts'
import { withIndexesOfRanges, withRangeCheck } from './unique-ranges.ts'

/** Describes the fields of a model, and what its options say of them. */
export function addFields(
  draft: Draft<ModelDescription>,
  describer: FieldDescriber,
  additions: RouterAdditions,
  faults: RegistrationFaults,
): void {
  const faultsBefore = faults.count
  const fields = describer.fieldsOf(draft)
  draft.fields = Object.freeze(fields)
  draft.fieldsByName = new Map(fields.map((field) => [field.name, field]))
  draft.fieldsByWireName =
    faults.attempt(() => indexByWireName(draft, fields)) ?? draft.fieldsByWireName
  draft.valueFields = Object.freeze(
    fields.filter((field): field is ValueField => field.kind === 'value'),
  )
  draft.resourceFields = Object.freeze(
    fields.filter((field): field is ResourceField => field.kind === 'resource'),
  )
  draft.resourcePaths = Object.freeze(resourcePathsOf(fields))
  draft.relations = Object.freeze(fields.filter(isRelation))
  draft.ownedRelations = Object.freeze(
    fields.filter(
      (field): field is OwnedRelation => field.kind === 'toOne' || field.kind === 'toMany',
    ),
  )
  draft.immutableFields = Object.freeze(fields.filter(isImmutable))
  draft.codedFields = Object.freeze(draft.valueFields.filter(isCoded))
  draft.timestampFields = Object.freeze(draft.valueFields.filter(isTimestamp))
  draft.rollupFields = Object.freeze(draft.valueFields.filter(isRollup))
  draft.serviceFields = Object.freeze(fields.filter(isSetByService))
  const hashes = fields.filter((field): field is HashField => field.kind === 'hash')
  draft.hashField = hashes[0]
  faults.attempt(() => {
    if (hashes.length > 1)
      throw new RegistrationError(
        `The model '${draft.name}' has ${hashes.length} hash fields; expected at most one.`,
      )
  })
  // Options name fields, of which some are missing now.
  if (fields.length < Object.keys(draft.model.fields).length) return
  faults.attempt(() => refuseSharedColumns(draft.name, draft.model.fields))
  faults.attempt(() => {
    draft.indexes = describeIndexes(draft)
  })
  faults.attempt(() => {
    draft.uniqueSets = uniqueSetsOf(draft, additions)
  })
  faults.attempt(() => {
    draft.uniqueRanges = uniqueRangesOf(draft, additions)
  })
  faults.attempt(() => {
    draft.derivedFields = describeDerived(draft)
  })
  draft.immutability = faults.attempt(() => describeImmutability(draft))
  if (faults.count > faultsBefore) return
  faults.attempt(() => {
    draft.indexes = withIndexesOfRanges(draft)
    draft.check = withRangeCheck(draft)
  })
}

function isImmutable(field: FieldDescription): field is ValueField | ToOneField {
  return (field.kind === 'value' || field.kind === 'toOne') && field.isImmutable
}

function isCoded(field: ValueField): field is CodedField {
  return field.codec !== undefined
}

function isTimestamp(field: ValueField): field is TimestampField {
  return field.timestamp !== undefined
}

function isSetByService(field: FieldDescription): field is ValueField | ToOneField {
  return field.kind === 'toOne'
    ? field.isReadOnly || field.from !== undefined
    : field.kind === 'value' && field.from !== undefined
}

function indexByWireName(
  model: ModelDescription,
  fields: readonly FieldDescription[],
): ReadonlyMap<string, FieldDescription> {
  const byWireName = new Map<string, FieldDescription>()
  for (const field of fields) {
    const other = byWireName.get(field.wireName)
    if (other)
      throw new RegistrationError(
        `The fields '${other.name}' and '${field.name}' of the model '${model.name}' have the same wire name '${field.wireName}'.`,
      )
    byWireName.set(field.wireName, field)
  }
  return byWireName
}
