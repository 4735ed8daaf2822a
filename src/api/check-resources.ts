import { defaultMaxPixels } from '../model/declare/resource.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { isSharpInstalled } from '../operation/resource/sharp.ts'
import type { ModelRule, ResourceTarget } from '../rule/rule.ts'

/**
 * @throws RegistrationError where a model's binary resources have no place, or their variants
 * nobody to make them.
 */
export function checkResourceSupport(
  { name, resourcePaths }: ModelDescription,
  keepsBlobs: boolean,
): void {
  const [slot] = resourcePaths
  if (slot && !keepsBlobs)
    throw new RegistrationError(
      `The field '${slot.itemField.name}' of the model '${name}' is or holds a binary resource, but the router keeps none; give it a place for them, as in createRouter({ blobs: memoryBlobs(), … }).`,
    )
  const limited = resourcePaths.find(
    ({ field }) => field.maxPixels !== undefined && field.maxPixels !== defaultMaxPixels,
  )
  if (limited && !isSharpInstalled())
    throw new RegistrationError(
      `The field '${limited.itemField.name}' of the model '${name}' is or holds an image with maxPixels, which the package 'sharp' counts; install it, or leave maxPixels out.`,
    )
  const varied = resourcePaths.find(({ field }) => field.variants.length > 0)
  if (varied && !isSharpInstalled())
    throw new RegistrationError(
      `The field '${varied.itemField.name}' of the model '${name}' is or holds an image with variants, which the package 'sharp' makes; install it, or leave the variants out.`,
    )
}

/**
 * Refuses operations that share an address with a binary resource, whatever their methods: nobody
 * could tell whose the address is.
 * @throws RegistrationError naming both
 */
export function checkResourceAddresses(rules: readonly ModelRule[]): void {
  const resources = new Map<string, ResourceTarget>()
  for (const { path, target } of rules) if (target.kind === 'resource') resources.set(path, target)
  for (const rule of rules) {
    const resource = rule.target.kind === 'resource' ? undefined : resources.get(rule.path)
    if (!resource) continue
    throw new RegistrationError(
      `The address ${rule.path} would belong to ${rule.operation} and to the binary resource '${resource.path.segments.join('.')}' of the model '${rule.view.model.name}'; give one of them another name.`,
    )
  }
}
