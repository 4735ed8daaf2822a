import { isReadable, isWritable, type ModelView } from '../model/model-view.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

const capability: JsonSchema = {
  type: 'string',
  enum: ['always', 'sometimes', 'never'],
}

/** What a caller may do with a model. */
export function modelCapabilitiesSchema(view: ModelView): JsonSchema {
  const fields = view.model.fields.filter(
    (field) => isReadable(view, field) || isWritable(view, field),
  )
  return {
    type: 'object',
    description: 'What the caller may do with the items of the model',
    properties: {
      operations: membersSchema(
        [
          ...['read', 'create', 'update', 'delete'],
          ...historyNames(view),
          ...(view.model.trash ? ['readTrash', 'restore', 'purge'] : []),
        ],
        capability,
      ),
      actions: membersSchema(actionNames(view), capability),
      // Some callers do not know some of them.
      fields: {
        ...membersSchema(
          fields.map(({ wireName }) => wireName),
          membersSchema(['read', 'write'], capability),
        ),
        required: [],
      },
    },
    required: ['operations', 'actions', 'fields'],
  }
}

/** The `meta` of a document with one item; undefined where it has none. */
export function itemMetaSchema(view: ModelView): JsonSchema | undefined {
  if (view.capabilities !== 'items') return undefined
  const allowed: JsonSchema = { type: 'boolean' }
  const changes = ['update', 'delete', ...historyNames(view)]
  return {
    type: 'object',
    properties: {
      can: {
        type: 'object',
        description: 'What the caller may do with this item',
        properties: {
          ...Object.fromEntries(changes.map((name) => [name, allowed])),
          actions: membersSchema(actionNames(view), allowed),
        },
        required: [...changes, 'actions'],
      },
    },
  }
}

function historyNames({ model }: ModelView): readonly string[] {
  return model.history ? ['readVersions', 'restoreVersion'] : []
}

function actionNames(view: ModelView): readonly string[] {
  return view.actions.map(({ name }) => name)
}

function membersSchema(names: readonly string[], member: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, member])),
    required: names,
  }
}
