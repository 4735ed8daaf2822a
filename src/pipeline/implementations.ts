import type { ErrorCode } from '../error/catalog.ts'
import { itemApiOperation, itemApiOperationErrors } from '../operation/action/item-api-operation.ts'
import {
  itemMethodApiOperation,
  itemMethodApiOperationErrors,
} from '../operation/action/item-method-api-operation.ts'
import { getChanges, getChangesErrors } from '../operation/changes/get-changes.ts'
import { getCapabilities, getCapabilitiesErrors } from '../operation/get-capabilities.ts'
import { getItem, getItemErrors } from '../operation/get-item.ts'
import { getList, getListErrors } from '../operation/get-list.ts'
import { getVersion, getVersionErrors } from '../operation/history/get-version.ts'
import { getVersions, getVersionsErrors } from '../operation/history/get-versions.ts'
import { restoreVersion, restoreVersionErrors } from '../operation/history/restore-version.ts'
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
import { getGroups, getGroupsErrors } from '../operation/summary/get-groups.ts'
import { getTrash, getTrashErrors } from '../operation/trash/get-trash.ts'
import { getTrashedItem, getTrashedItemErrors } from '../operation/trash/get-trashed-item.ts'
import { purgeItem, purgeItemErrors } from '../operation/trash/purge-item.ts'
import { restoreItem, restoreItemErrors } from '../operation/trash/restore-item.ts'
import { createItem, createItemErrors } from '../operation/write/create-item.ts'
import { deleteItem, deleteItemErrors } from '../operation/write/delete-item.ts'
import { replaceItem, replaceItemErrors } from '../operation/write/replace-item.ts'
import { updateItem, updateItemErrors } from '../operation/write/update-item.ts'
import type { ModelOperation } from '../rule/operations.ts'
import type { PayloadByOperation } from '../rule/request-shape.ts'
import type { OperationRule } from '../rule/rule.ts'
import { changesInput } from './changes-input.ts'
import {
  actionInput,
  capabilitiesInput,
  groupsInput,
  type InputSettings,
  itemInput,
  linkageChangeInput,
  listInput,
  type OperationCall,
  payloadInput,
  relatedListInput,
  resourceInput,
  resourceWriteInput,
  restoreInput,
  restoreVersionInput,
  trashedInput,
  versionInput,
  writeInput,
} from './operation-inputs.ts'

/** An operation: its input, its function, and the errors that it can refuse with. */
interface Implementation<Name extends ModelOperation> {
  /** Compiles, at registration, the function that makes the input of each call. */
  input(
    rule: OperationRule<Name>,
    settings: InputSettings,
  ): (call: OperationCall<PayloadByOperation[Name]>) => InputByOperation[Name]
  run(input: InputByOperation[Name]): Promise<OperationResult>
  readonly errors: readonly ErrorCode[]
}

/** The operation behind each name. */
export const implementations: { readonly [Name in ModelOperation]: Implementation<Name> } = {
  GetList: { input: listInput, run: getList, errors: getListErrors },
  GetCapabilities: {
    input: capabilitiesInput,
    run: getCapabilities,
    errors: getCapabilitiesErrors,
  },
  GetChanges: { input: changesInput, run: getChanges, errors: getChangesErrors },
  GetGroups: { input: groupsInput, run: getGroups, errors: getGroupsErrors },
  GetItem: { input: itemInput, run: getItem, errors: getItemErrors },
  CreateItem: { input: payloadInput, run: createItem, errors: createItemErrors },
  UpdateItem: { input: payloadInput, run: updateItem, errors: updateItemErrors },
  ReplaceItem: { input: payloadInput, run: replaceItem, errors: replaceItemErrors },
  DeleteItem: { input: writeInput, run: deleteItem, errors: deleteItemErrors },
  GetResource: { input: resourceInput, run: getResource, errors: getResourceErrors },
  SetResource: { input: resourceWriteInput, run: setResource, errors: setResourceErrors },
  DeleteResource: { input: resourceWriteInput, run: deleteResource, errors: deleteResourceErrors },
  ItemMethodApiOperation: {
    input: actionInput,
    run: itemMethodApiOperation,
    errors: itemMethodApiOperationErrors,
  },
  ItemApiOperation: { input: actionInput, run: itemApiOperation, errors: itemApiOperationErrors },
  RelatedGet: { input: relatedListInput, run: relatedGet, errors: relatedGetErrors },
  RelationshipGet: { input: relatedListInput, run: relationshipGet, errors: relationshipGetErrors },
  RelationshipPost: {
    input: linkageChangeInput,
    run: relationshipPost,
    errors: relationshipPostErrors,
  },
  RelationshipPatch: {
    input: linkageChangeInput,
    run: relationshipPatch,
    errors: relationshipPatchErrors,
  },
  RelationshipDelete: {
    input: linkageChangeInput,
    run: relationshipDelete,
    errors: relationshipDeleteErrors,
  },
  GetVersions: { input: versionInput, run: getVersions, errors: getVersionsErrors },
  GetVersion: { input: versionInput, run: getVersion, errors: getVersionErrors },
  RestoreVersion: { input: restoreVersionInput, run: restoreVersion, errors: restoreVersionErrors },
  GetTrash: { input: itemInput, run: getTrash, errors: getTrashErrors },
  GetTrashedItem: { input: trashedInput, run: getTrashedItem, errors: getTrashedItemErrors },
  RestoreItem: { input: restoreInput, run: restoreItem, errors: restoreItemErrors },
  PurgeItem: { input: trashedInput, run: purgeItem, errors: purgeItemErrors },
}
