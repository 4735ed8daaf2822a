import type { ModelView } from '../model/model-view.ts'
import { noContents } from '../rule/contents.ts'
import { deletedAtParameter } from '../rule/parameter/deleted-at-parameter.ts'
import { keptPageParameter } from '../rule/parameter/kept-page-parameter.ts'
import type { InputRequest, NoRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { ActionFormat } from './action-rules.ts'
import { trashedSchema, trashSchema, versionSchema, versionsSchema } from './kept-item-schemas.ts'
import type { ModelFormat } from './model-format.ts'
import { createRuleMaker } from './rule-maker.ts'

/** The responses of other rules of the model. */
export interface ItemResponses {
  readonly changedItem: ResponseShape
  readonly newItem: ResponseShape
  readonly deleted: ResponseShape
}

const noRequest: NoRequest = { kind: 'none' }

/** Reading versions of an item, and restoring one, where the model keeps them. */
export function historyRules(
  view: ModelView,
  format: ModelFormat,
  { changedItem }: Pick<ItemResponses, 'changedItem'>,
): readonly PolicyRule[] {
  if (!view.model.history || !format.actions) return []
  const path = `/${view.model.plural}/:id/versions`
  const rule = createRuleMaker({ view }, { item: format.itemParameters })
  const ruleOfPages = createRuleMaker({ view }, { output: pageParameters(format) })
  const output = outputOf(format)
  return [
    ruleOfPages(
      'GetVersions',
      { kind: 'versions' },
      'GET',
      path,
      noRequest,
      output(versionsSchema, `The versions of the ${format.noun}, the newest first`),
    ),
    rule(
      'GetVersion',
      { kind: 'version' },
      'GET',
      `${path}/:number`,
      noRequest,
      output(versionSchema, `The version of the ${format.noun}`),
    ),
    rule(
      'RestoreVersion',
      { kind: 'version' },
      'POST',
      `${path}/:number/restore`,
      restoreRequest(format.actions),
      changedItem,
    ),
  ]
}

/** Reading the trash, restoring an item, and deleting it for good, where the model has a trash. */
export function trashRules(
  view: ModelView,
  format: ModelFormat,
  { newItem, deleted }: Pick<ItemResponses, 'newItem' | 'deleted'>,
): readonly PolicyRule[] {
  if (!view.model.trash || !format.actions) return []
  const path = `/${view.model.plural}/trash`
  const ruleOfOne = createRuleMaker(
    { view },
    {
      item: [...format.itemParameters, deletedAtParameter],
      output: [deletedAtParameter],
      [deleted.content]: [deletedAtParameter],
    },
  )
  const ruleOfPages = createRuleMaker({ view }, { output: pageParameters(format) })
  const output = outputOf(format)
  return [
    ruleOfPages(
      'GetTrash',
      { kind: 'trash' },
      'GET',
      path,
      noRequest,
      output(trashSchema, `The deleted ${format.noun}s, the last deleted first`),
    ),
    ruleOfOne(
      'RestoreItem',
      { kind: 'trashed' },
      'POST',
      `${path}/:id/restore`,
      restoreRequest(format.actions),
      newItem,
    ),
    ruleOfOne(
      'GetTrashedItem',
      { kind: 'trashed' },
      'GET',
      `${path}/:id`,
      noRequest,
      output(trashedSchema, `The deleted ${format.noun}`),
    ),
    ruleOfOne('PurgeItem', { kind: 'trashed' }, 'DELETE', `${path}/:id`, noRequest, deleted),
  ]
}

/** The body of an action without an input. */
function restoreRequest({
  inputContents: _,
  outputResponse: __,
  ignoredNamePattern: ___,
  ...body
}: ActionFormat): InputRequest {
  return { ...body, kind: 'input', contents: noContents, isOptional: true, errors: [] }
}

function pageParameters({ listParameters }: ModelFormat) {
  const page = listParameters.find(({ baseNames }) => baseNames.includes('page'))
  return page ? [keptPageParameter(page)] : []
}

function outputOf({ actions, mediaTypeParameters, serializer }: ModelFormat) {
  return (schema: JsonSchema, description: string): ResponseShape => ({
    ...actions!.outputResponse(schema),
    status: 200,
    parameters: mediaTypeParameters,
    serializer,
    content: 'output',
    headers: {},
    description,
  })
}
