"""One network in each file format: three nodes, of which two are 111.2 km apart."""

GRAPHML = """\
<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d0"/>
  <key attr.name="LinkLabel" attr.type="string" for="edge" id="d1"/>
  <key attr.name="label" attr.type="string" for="node" id="d2"/>
  <key attr.name="Latitude" attr.type="double" for="node" id="d3"/>
  <key attr.name="Longitude" attr.type="double" for="node" id="d4"/>
  <graph edgedefault="undirected">
    <node id="0"><data key="d2">New Town</data><data key="d3">0</data><data key="d4">0</data></node>
    <node id="1"><data key="d2">Oldtown</data><data key="d3">1</data><data key="d4">0</data></node>
    <node id="2"><data key="d2">Oldtown</data></node>
    <edge source="0" target="1"><data key="d0">10000000000.0</data></edge>
    <edge source="0" target="1"><data key="d1">2.5 Gbps</data></edge>
    <edge source="1" target="2"><data key="d1">Dark Fibre</data></edge>
  </graph>
</graphml>
"""

GML = """\
graph [
  directed 0
  node [ id 0 label "New Town" Latitude 0.0 Longitude 0.0 ]
  node [ id 1 label "Oldtown" Latitude 1.0 Longitude 0.0 ]
  node [ id 2 label "Oldtown" ]
  edge [ source 0 target 1 LinkSpeedRaw 10000000000.0 ]
  edge [ source 0 target 1 LinkSpeed "2.5" LinkSpeedUnits "G" ]
  edge [ source 1 target 2 LinkLabel "Dark Fibre" ]
]
"""

NODE_LINK = """\
{"directed": false, "multigraph": true, "graph": {},
 "nodes": [{"id": 0, "label": "New Town", "Latitude": 0, "Longitude": 0},
           {"id": 1, "label": "Oldtown", "Latitude": 1, "Longitude": 0},
           {"id": 2, "label": "Oldtown"}],
 "links": [{"source": 0, "target": 1, "rate": "10Gbps", "key": 0},
           {"source": 0, "target": 1, "rate": "2.5 Gb/s", "key": 1},
           {"source": 1, "target": 2, "rate": "dark", "key": 0}]}
"""

SNDLIB = """\
?SNDlib native format; type: network; version: 1.0
# three places

META (
  unit = MBITPERSEC
)
NODES (
  New ( 0.00 0.00 )
  Old ( 0.00 1.00 )
  Far ( 0.00 1.00 )
)
LINKS (
  L1 ( New Old ) 10000.00 0.00 0.00 0.00 ( 40000.00 133.00 )
  L2 ( New Old ) 2500.00 0.00 0.00 0.00 ( )
  L3 ( Old Far ) 0.00 0.00 0.00 0.00 ( 40000.00 133.00 )
)
DEMANDS (
  D1 ( New Far ) 1 3580.00 UNLIMITED
)
ADMISSIBLE_PATHS (
  D1 (
    P1 ( L1 L3 )
  )
)
"""

SNDLIB_XML = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0">
 <meta><unit>MBITPERSEC</unit></meta>
 <networkStructure>
  <nodes coordinatesType="geographical">
   <node id="New"><coordinates><x>0.0</x><y>0.0</y></coordinates></node>
   <node id="Old"><coordinates><x>0.0</x><y>1.0</y></coordinates></node>
   <node id="Far"><coordinates><x>0.0</x><y>1.0</y></coordinates></node>
  </nodes>
  <links>
   <link id="L1"><source>New</source><target>Old</target>
    <preInstalledModule><capacity>10000.0</capacity><cost>0.0</cost></preInstalledModule></link>
   <link id="L2"><source>New</source><target>Old</target>
    <preInstalledModule><capacity>2500.0</capacity><cost>0.0</cost></preInstalledModule></link>
   <link id="L3"><source>Old</source><target>Far</target>
    <additionalModules><addModule><capacity>40000.0</capacity><cost>1.0</cost></addModule>
    </additionalModules></link>
  </links>
 </networkStructure>
 <demands><demand id="D1"><source>New</source><target>Far</target></demand></demands>
</network>
"""

INFRAGRAPH = """\
name: two-servers
devices:
  - name: server
    components:
      - {name: xpu, count: 2, choice: xpu, xpu: {}}
      - {name: nic, count: 2, choice: nic, nic: {}}
    links: [{name: pcie}]
    edges:
      - ep1: {component: "xpu[0:2]"}
        ep2: {component: "nic[0:2]"}
        scheme: one2one
        link: pcie
  - name: box
    components:
      - {name: port, count: 4, choice: port, port: {}}
    links: []
    edges: []
links:
  - name: eth
    physical:
      bandwidth: {choice: gigabits_per_second, gigabits_per_second: 400}
      latency: {choice: ns, ns: 500}
instances:
  - {name: host, device: server, count: 2}
  - {name: leaf, device: box, count: 2}
edges:
  - ep1: {instance: "host[0]", component: "nic[0:2]"}
    ep2: {instance: "leaf[0:2]", component: "port[0]"}
    scheme: one2one
    link: eth
  - ep1: {instance: "host[1]", component: "nic[0:2]"}
    ep2: {instance: "leaf[0:2]", component: "port[1]"}
    scheme: one2one
    link: eth
"""

FILES = {
    "graphml": ("places.graphml", GRAPHML),
    "gml": ("places.gml", GML),
    "node-link": ("places.json", NODE_LINK),
    "sndlib": ("places.txt", SNDLIB),
    "sndlib-xml": ("places.xml", SNDLIB_XML),
    "infragraph": ("servers.yaml", INFRAGRAPH),
}
