"""Programs of the user."""

import numpy as np
import pytest

import graphwright as gw

HEAD = """
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
"""

POPULAR = HEAD + """
const degree : vector{Vertex}(int) = edges.getOutDegrees();
const popular : vector{Vertex}(int) = 0;
const least : int = atoi(argv[2]);
func count(source : Vertex, target : Vertex)
    if degree[target] >= least
        popular[source] += 1;
    end
end
func main()
    #s1# edges.apply(count);
    print 7;
end
"""

SPREAD = HEAD + """
extern func receive();
const heat : vector{Vertex}(double) = 0.0;
const next : vector{Vertex}(double) = 0.0;
func pass(source : Vertex, target : Vertex)
    next[target] += heat[source];
end
func main()
    receive();
    #s1# edges.apply(pass);
end
"""


def test_arguments_have_the_names_of_variables():
    program = gw.Program(POPULAR, name="popular.gt")
    result = program.run("star:5", least=2)
    assert result.popular.tolist() == [0, 1, 1, 1, 1]
    assert program.run("star:5", least=1).popular.tolist() == [4, 1, 1, 1, 1]
    assert result.printed == "7\n" and result.program == "popular.gt"
    with pytest.raises(TypeError, match="no argument `most`"):
        program.run("star:5", most=2)
    with pytest.raises(gw.ProgramError, match="least"):
        program.run("star:5")


def test_arrays_fill_vectors():
    program = gw.Program(SPREAD)
    for heat in (np.array([1.0, 0, 0]), np.array([0, 0, 2])):
        assert program.run("path:3", heat=heat).next.tolist() == [heat[1], heat[0] + heat[2], heat[1]]
    with pytest.raises(gw.ProgramError, match="2 entries"):
        program.run("path:3", heat=np.zeros(2))
    with pytest.raises(gw.ProgramError, match="no vector `cold`"):
        program.run("path:3", cold=np.zeros(3))


def test_mistakes_show_their_line(tmp_path):
    with pytest.raises(gw.ProgramError) as error:
        gw.Program(POPULAR.replace("popular[source] += 1", "popular[source] += oops"))
    assert "oops" in str(error.value) and "|" in str(error.value)
    path = tmp_path / "popular.gt"
    path.write_text(POPULAR)
    assert gw.Program(path=path).name == "popular.gt"
    with pytest.raises(TypeError):
        gw.Program()
    with pytest.raises(gw.GraphwrightError, match="no standard program"):
        gw.Program(POPULAR).run("star:5", least=1).verify()


def test_faults_become_exceptions():
    program = gw.Program(HEAD + "const x : vector{Vertex}(int) = 0;\nfunc main()\n    x[99] = 1;\nend\n")
    with pytest.raises(gw.ProgramError, match="out of range"):
        program.run("path:3")
