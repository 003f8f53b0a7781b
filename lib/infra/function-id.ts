/** `listRegistryRows` becomes the function `ListRegistryRows`. */
export function functionId(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}
