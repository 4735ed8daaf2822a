import type { ErrorCode } from '../error/catalog.ts'
import { itemApiOperation, itemApiOperationErrors } from '../operation/action/item-api-operation.ts'
import {
  itemMethodApiOperation,
  itemMethodApiOperationErrors,
} from '../operation/action/item-method-api-operation.ts'
import { getCapabilities, getCapabilitiesErrors } from '../operation/get-capabilities.ts'
import { getItem, getItemErrors } from '../operation/get-item.ts'
import { getList, getListErrors } from '../operation/get-list.ts'
import { relatedGet, relatedGetErrors } from '../operation/linkage/related-get.ts'
import {
  relationshipDelete,
  relationshipDeleteErrors,
} from '../operation/linkage/relationship-delete.ts'
import { relationshipGet, relationshipGetErrors } from '../operation/linkage/relationship-get.ts'
import {
  relationshipPatch,
  relationshipPatchErrors,
} from '../operation/linkage/relationship-patch.ts'
import { relationshipPost, relationshipPostErrors } from '../operation/linkage/relationship-post.ts'
import type { InputByOperation } from '../operation/operation-input.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import { deleteResource, deleteResourceErrors } from '../operation/resource/delete-resource.ts'
import { getResource, getResourceErrors } from '../operation/resource/get-resource.ts'
import { setResource, setResourceErrors } from '../operation/resource/set-resource.ts'
import { createItem, createItemErrors } from '../operation/write/create-item.ts'
import { deleteItem, deleteItemErrors } from '../operation/write/delete-item.ts'
import { replaceItem, replaceItemErrors } from '../operation/write/replace-item.ts'
import { updateItem, updateItemErrors } from '../operation/write/update-item.ts'
import type { ModelOperation } from '../rule/operations.ts'

/** An operation, with the errors that it can refuse with. */
export interface Implementation<Input> {
  operate(input: Input): Promise<OperationResult>
  readonly errors: readonly ErrorCode[]
}

/** The operation behind each name. */
export const implementations: {
  readonly [Name in ModelOperation]: Implementation<InputByOperation[Name]>
} = {
  GetList: { operate: getList, errors: getListErrors },
  GetCapabilities: { operate: getCapabilities, errors: getCapabilitiesErrors },
  GetItem: { operate: getItem, errors: getItemErrors },
  CreateItem: { operate: createItem, errors: createItemErrors },
  UpdateItem: { operate: updateItem, errors: updateItemErrors },
  ReplaceItem: { operate: replaceItem, errors: replaceItemErrors },
  DeleteItem: { operate: deleteItem, errors: deleteItemErrors },
  GetResource: { operate: getResource, errors: getResourceErrors },
  SetResource: { operate: setResource, errors: setResourceErrors },
  DeleteResource: { operate: deleteResource, errors: deleteResourceErrors },
  ItemMethodApiOperation: { operate: itemMethodApiOperation, errors: itemMethodApiOperationErrors },
  ItemApiOperation: { operate: itemApiOperation, errors: itemApiOperationErrors },
  RelatedGet: { operate: relatedGet, errors: relatedGetErrors },
  RelationshipGet: { operate: relationshipGet, errors: relationshipGetErrors },
  RelationshipPost: { operate: relationshipPost, errors: relationshipPostErrors },
  RelationshipPatch: { operate: relationshipPatch, errors: relationshipPatchErrors },
  RelationshipDelete: { operate: relationshipDelete, errors: relationshipDeleteErrors },
}
