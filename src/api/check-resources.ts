import { defaultMaxPixels } from '../model/declare/resource.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { isSharpInstalled } from '../operation/resource/sharp.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { ResourceTarget } from '../rule/target.ts'

/** @throws RegistrationError if a binary resource needs a blob store or sharp, and there is none */
export function checkResourceSupport(
  { name, resourcePaths }: ModelDescription,
  hasBlobStore: boolean,
): void {
  const [first] = resourcePaths
  if (first && !hasBlobStore)
    throw new RegistrationError(
      `The field '${first.itemField.name}' of the model '${name}' has a binary resource, but the router has no blob store. Set one: createRouter({ blobs: memoryBlobs(), … }).`,
    )
  const limited = resourcePaths.find(
    ({ field }) => field.maxPixels !== undefined && field.maxPixels !== defaultMaxPixels,
  )
  if (limited && !isSharpInstalled())
    throw new RegistrationError(
      `The field '${limited.itemField.name}' of the model '${name}' has an image with 'maxPixels', which needs the package 'sharp'. Install it, or remove 'maxPixels'.`,
    )
  const withVariants = resourcePaths.find(({ field }) => field.variants.length > 0)
  if (withVariants && !isSharpInstalled())
    throw new RegistrationError(
      `The field '${withVariants.itemField.name}' of the model '${name}' has an image with 'variants', which need the package 'sharp'. Install it, or remove 'variants'.`,
    )
}

/** @throws RegistrationError if an operation has the path of a binary resource, with any method */
export function checkResourceAddresses(rules: readonly ModelRule[]): void {
  const resources = new Map<string, ResourceTarget>()
  for (const { path, target } of rules) if (target.kind === 'resource') resources.set(path, target)
  for (const rule of rules) {
    const resource = rule.target.kind === 'resource' ? undefined : resources.get(rule.path)
    if (!resource) continue
    throw new RegistrationError(
      `${rule.operation} and the binary resource '${resource.path.segments.join('.')}' of the model '${rule.view.model.name}' have the same path ${rule.path}. Rename one of them.`,
    )
  }
}
