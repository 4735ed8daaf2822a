import { itemApiOperation } from '../operation/action/item-api-operation.ts'
import { itemMethodApiOperation } from '../operation/action/item-method-api-operation.ts'
import { getItem } from '../operation/get-item.ts'
import { getList } from '../operation/get-list.ts'
import { relatedGet } from '../operation/linkage/related-get.ts'
import { relationshipDelete } from '../operation/linkage/relationship-delete.ts'
import { relationshipGet } from '../operation/linkage/relationship-get.ts'
import { relationshipPatch } from '../operation/linkage/relationship-patch.ts'
import { relationshipPost } from '../operation/linkage/relationship-post.ts'
import type { InputByOperation } from '../operation/operation-input.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import { deleteResource } from '../operation/resource/delete-resource.ts'
import { getResource } from '../operation/resource/get-resource.ts'
import { setResource } from '../operation/resource/set-resource.ts'
import { createItem } from '../operation/write/create-item.ts'
import { deleteItem } from '../operation/write/delete-item.ts'
import { replaceItem } from '../operation/write/replace-item.ts'
import { updateItem } from '../operation/write/update-item.ts'
import type { ModelOperation } from '../rule/operations.ts'

/** The operation behind each name. */
export const implementations: {
  readonly [Name in ModelOperation]: (input: InputByOperation[Name]) => Promise<OperationResult>
} = {
  GetList: getList,
  GetItem: getItem,
  CreateItem: createItem,
  UpdateItem: updateItem,
  ReplaceItem: replaceItem,
  DeleteItem: deleteItem,
  GetResource: getResource,
  SetResource: setResource,
  DeleteResource: deleteResource,
  ItemMethodApiOperation: itemMethodApiOperation,
  ItemApiOperation: itemApiOperation,
  RelatedGet: relatedGet,
  RelationshipGet: relationshipGet,
  RelationshipPost: relationshipPost,
  RelationshipPatch: relationshipPatch,
  RelationshipDelete: relationshipDelete,
}
