import type { ModelDescription } from '../model/description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { defaultMaxPixels } from '../model/resource.ts'
import { isSharpThere } from '../operation/sharp.ts'
import type { ModelRule } from '../rule/rule.ts'

/** @throws RegistrationError where a model's binary resources have no place, or their variants nobody to make them. */
export function refuseUnkept({ name, slots }: ModelDescription, keepsBlobs: boolean): void {
  const [slot] = slots
  if (slot && !keepsBlobs)
    throw new RegistrationError(
      `The field '${slot.top.name}' of the model '${name}' is or holds a binary resource, but the router keeps none; give it a place for them, as in createRouter({ blobs: memoryBlobs(), … }).`,
    )
  const limited = slots.find(({ field }) => field.maxPixels !== undefined && field.maxPixels !== defaultMaxPixels)
  if (limited && !isSharpThere())
    throw new RegistrationError(
      `The field '${limited.top.name}' of the model '${name}' is or holds an image with maxPixels, which the package 'sharp' counts; install it, or leave maxPixels out.`,
    )
  const varied = slots.find(({ field }) => field.variants.length > 0)
  if (varied && !isSharpThere())
    throw new RegistrationError(
      `The field '${varied.top.name}' of the model '${name}' is or holds an image with variants, which the package 'sharp' makes; install it, or leave the variants out.`,
    )
}

/**
 * Refuses operations that share an address with a binary resource, whatever their methods: nobody could tell whose the address is.
 * @throws RegistrationError naming both
 */
export function refuseShadowed(rules: readonly ModelRule[]): void {
  const resources = new Map(rules.filter((rule) => rule.resource).map((rule) => [rule.path, rule]))
  for (const rule of rules) {
    const resource = rule.resource ? undefined : resources.get(rule.path)
    if (!resource) continue
    throw new RegistrationError(
      `The address ${rule.path} would belong to ${rule.operation} and to the binary resource '${resource.resource!.slot.way.join('.')}' of the model '${rule.view.model.name}'; give one of them another name.`,
    )
  }
}
