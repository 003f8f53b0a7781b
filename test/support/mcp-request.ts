// Requests of the connector for functions that run in this process.

/** A request of revision 2026-07-28, whose response is JSON. */
export const mcpRequest = (
  method: string,
  params: object = {},
  headers: Readonly<Record<string, string>> = {},
) => ({
  headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...headers },
  body: {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
});

export const callTool = (name: string, args: object) =>
  mcpRequest('tools/call', { name, arguments: args }, { 'Mcp-Name': name });
