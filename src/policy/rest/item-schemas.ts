import { oncePer } from '../../cache/once-per.ts'
import type { InverseField, ModelDescription, OwnedRelation } from '../../model/description.ts'
import { fieldSchema } from '../../model/field-schema.ts'
import { isReadable, isWritable, type ModelView, type Views } from '../../model/model-view.ts'
import { oneInWords, pascalOf } from '../../model/naming.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { notNull, nullable } from '../../schema/nullable.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { isIdRequired, sentId, takenId } from '../id-schemas.ts'
import {
  aboutModel,
  isEmptiable,
  isNullable,
  isRelationRequired,
  membersOf,
  objectSchema,
  sentValues,
  takenValues,
  unlessSent,
} from '../member-schemas.ts'

/** How the items of a model look on the wire. */
export interface ItemSchemas {
  /** As they are answered: whole, unless `fields` chose some of their members. */
  readonly sent: JsonSchema
  readonly taken: Readonly<Record<Purpose, JsonSchema>>
}

/** Each view has one set of schemas, so that documents write each of them once. */
export const itemSchemas: (view: ModelView, views: Views) => ItemSchemas = oncePer(makeSchemas)

function makeSchemas(view: ModelView, views: Views): ItemSchemas {
  const { model } = view
  const name = pascalOf(model.name)
  const whole = component(name, 'model', () => sentItem(view, views))
  const part = component(`${name}Part`, 'part', () => ({
    ...sentItem(view, views),
    description: `What \`fields[${model.plural}]\` chose of ${oneInWords(model.name)}`,
    required: ['id'],
  }))
  return {
    sent: component(`${name}OrPart`, 'part', () => ({ anyOf: [whole, part] }), whole),
    taken: {
      create: component(`${name}Create`, 'part', () => takenItem(view, views, 'create')),
      replace: component(`${name}Replace`, 'part', () => takenItem(view, views, 'replace')),
      update: component(`${name}Patch`, 'part', () => takenItem(view, views, 'update')),
    },
  }
}

function sentItem(view: ModelView, views: Views): JsonSchema {
  const { model } = view
  const relations = model.owned
    .filter((field) => isReadable(view, field))
    .map((field) => {
      const schema = fieldSchema(model, field, 'output')
      return { name: field.wire, schema: isNullable(views, field) ? nullable(schema) : schema, required: true }
    })
  const hash =
    model.hash && isReadable(view, model.hash)
      ? [
          {
            name: model.hash.wire,
            schema: { ...fieldSchema(model, model.hash, 'output'), readOnly: true },
            required: true,
          },
        ]
      : []
  const id = { name: 'id', schema: sentId, required: true }
  const members = [id, ...sentValues(view), ...relations, ...resourcesOf(view), ...hash]
  return objectSchema(membersOf(members), aboutModel(model))
}

/** Binary resources are set at their own addresses; here they can be sent back as they were given. */
function resourcesOf(view: ModelView) {
  return view.model.resources
    .filter((field) => isReadable(view, field))
    .map((field) => ({ name: field.wire, schema: fieldSchema(view.model, field, 'output'), required: true }))
}

function takenItem(view: ModelView, views: Views, purpose: Purpose): JsonSchema {
  const { model } = view
  const relations = model.relations
    .filter((field) => isWritable(view, field))
    .map((field) => (field.kind === 'inverse' ? sentBack(model, field) : takenRelation(view, views, field, purpose)))
  const resources = resourcesOf(view).map((member) => ({ ...member, required: false }))
  const id = { name: 'id', schema: takenId(model, purpose), required: isIdRequired(model, purpose) }
  return {
    ...objectSchema(membersOf([id, ...takenValues(view, purpose), ...relations, ...resources]), aboutModel(model)),
    additionalProperties: false,
  }
}

/** An inverse relation is written from the other side; here it can be sent back as it is. */
function sentBack(model: ModelDescription, field: InverseField) {
  return { name: field.wire, schema: { ...fieldSchema(model, field, 'output'), readOnly: true }, required: false }
}

function takenRelation(view: ModelView, views: Views, field: OwnedRelation, purpose: Purpose) {
  const schema = notNull(fieldSchema(view.model, field, 'input'))
  return {
    name: field.wire,
    schema: unlessSent(
      view,
      field,
      field.kind === 'toOne' && isEmptiable(views, field, purpose) ? nullable(schema) : schema,
    ),
    required: isRelationRequired(view, views, field, purpose),
  }
}
